import * as enums from '../../../api/data/enums.js';
import {
  all,
  at,
  atOnce,
  booleanAt,
  byDefault,
  distinct,
  duplicate,
  itemsOf,
  members,
  nonZero,
  objectRules,
  objectsIn,
  oneOf,
  orEmpty,
  Path,
  qualified,
  required,
  textAt,
  type Draft,
  type FieldError,
  type Kind,
  type Writable,
} from '../language.js';
import type * as core from '../../../api/types/core/v1.js';
import type * as v1 from '../../../api/types/storage/v1.js';
import { causesMax } from '../../../api/status.js';
import { deprecatedNodeLabel } from '../core/podSpec/warnings/placement.js';
import { immutable, immutableMap } from '../immutable.js';
import { parameters, provisioner } from './parameters.js';

type Term = Writable<core.TopologySelectorTerm>;

const topologies = Path.of('allowedTopologies');

const expression = members<core.TopologySelectorLabelRequirement>({ values: required(distinct(null)), key: orEmpty(qualified) });
const term = members<core.TopologySelectorTerm>({ matchLabelExpressions: distinct('key', (once) => all(expression, once)) });
const validate = objectRules<v1.StorageClass>({
  provisioner,
  parameters: parameters(true),
  reclaimPolicy: byDefault('Delete', nonZero(oneOf('Delete', 'Retain'))),
  volumeBindingMode: byDefault('Immediate', oneOf(...enums.VolumeBindingMode)),
  allowedTopologies: distinctTerms,
});

/** The reference compares with as many empty terms as there are terms, and reports an empty one that often. */
function distinctTerms(terms: Term[] | undefined, path: Path): FieldError[] {
  const earlier = new Map<string, number>([[comparable({}), itemsOf(terms).length]]);
  const findings: FieldError[] = [];
  for (const [position, each] of itemsOf(terms).entries()) {
    const times = earlier.get(comparable(each)) ?? 0;
    earlier.set(comparable(each), times + 1);
    const repeated = duplicate(path.index(position).child('matchLabelExpressions'), '');
    findings.push(...atOnce(term(each, path.index(position), terms)));
    findings.push(...Array.from({ length: Math.min(times, causesMax) }, () => repeated));
    if (findings.length >= causesMax) break;
  }
  return findings;
}

/** The last expression with a key counts. */
function comparable({ matchLabelExpressions }: Term): string {
  const values = new Map(itemsOf(matchLabelExpressions).map((each) => [each.key ?? '', [...new Set(itemsOf(each.values))].sort()]));
  return JSON.stringify([...values].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const topologyWarnings = (storage: Draft<v1.StorageClass>): string[] =>
  objectsIn(storage, 'allowedTopologies').flatMap((term, outer) =>
    objectsIn(term, 'matchLabelExpressions').flatMap((expression, inner) => {
      const text = deprecatedNodeLabel(textAt(expression, 'key'));
      return text === null
        ? []
        : [`${topologies.index(outer).child('matchLabelExpressions').index(inner).child('key').toString()}: ${text}`];
    }),
  );

export const storageClasses: Kind<Draft<v1.StorageClass>> = {
  name: 'storageclasses.storage.k8s.io',
  defaults: validate.defaults,
  validate,
  warnings: (storage) => topologyWarnings(storage),
  update: {
    review: [
      'objectMeta',
      validate,
      'objectMetaUpdate',
      immutableMap('parameters'),
      immutable('provisioner'),
      immutable('reclaimPolicy'),
      immutable('volumeBindingMode'),
    ],
  },
  delete: { answers: 'object' },
  cells: {
    Provisioner: at('provisioner'),
    ReclaimPolicy: at('reclaimPolicy', 'Delete'),
    VolumeBindingMode: at('volumeBindingMode', 'Immediate'),
    AllowVolumeExpansion: booleanAt('allowVolumeExpansion'),
    Name: (object) =>
      `${object.metadata.name ?? ''}${object.metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true' ? ' (default)' : ''}`,
  },
};
