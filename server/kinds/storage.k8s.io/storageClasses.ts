import type { StorageClass } from '../../../api/types/storage/v1.js';
import type { JsonObject } from '../../../api/object.js';
import { objectsIn, setDefault } from '../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../api/json/members.js';
import { duplicate, Path, required, type FieldError } from '../../registry/validation/field.js';
import { printedMap } from '../../registry/validation/printed.js';
import { repeats } from '../../registry/validation/repeats.js';
import { optionallyOneOf, qualified } from '../../registry/validation/values.js';
import { at, booleanAt } from '../cells.js';
import { deprecatedNodeLabel } from '../core/podSpec/warnings/placement.js';
import { immutable } from '../immutable.js';
import type { Draft, Kind } from '../kind.js';
import { validateParameters, validateProvisioner } from './parameters.js';
import { causesMax } from '../../../api/status.js';

const topologies = Path.of('allowedTopologies');

function validate(storage: Draft<StorageClass>): FieldError[] {
  return [
    ...validateProvisioner(textAt(storage, 'provisioner'), Path.of('provisioner')),
    ...validateParameters(storage.parameters, true, Path.of('parameters')),
    ...(storage.reclaimPolicy === '' ? [] : optionallyOneOf(storage.reclaimPolicy, ['Delete', 'Retain'], Path.of('reclaimPolicy'))),
    ...optionallyOneOf(storage.volumeBindingMode, ['Immediate', 'WaitForFirstConsumer'], Path.of('volumeBindingMode')),
    ...validateTopologies(objectsIn(storage, 'allowedTopologies')),
  ];
}

/** The comparable form of a term: values by key. */
type Term = string;
const printedTerm = (values: ReadonlyMap<string, readonly string[]>): Term =>
  JSON.stringify([...values].sort(([a], [b]) => (a < b ? -1 : 1)));
const emptyTerm = printedTerm(new Map());

function validateTopologies(terms: readonly JsonObject[]): FieldError[] {
  // The reference compares with as many empty terms as there are terms, and reports an empty one that often.
  const earlier = new Map<Term, number>([[emptyTerm, terms.length]]);
  const findings: FieldError[] = [];
  for (const [position, term] of terms.entries()) {
    const path = topologies.index(position).child('matchLabelExpressions');
    const read = readTerm(term, path);
    const times = earlier.get(read.values) ?? 0;
    earlier.set(read.values, times + 1);
    findings.push(...read.findings, ...Array.from({ length: Math.min(times, causesMax) }, () => duplicate(path, '')));
    if (findings.length >= causesMax) break;
  }
  return findings;
}

function readTerm(term: JsonObject, path: Path): { readonly values: Term; readonly findings: FieldError[] } {
  const values = new Map<string, readonly string[]>();
  const findings = objectsIn(term, 'matchLabelExpressions').flatMap((expression, position) => {
    const at = path.index(position);
    const key = textAt(expression, 'key');
    const found = validateRequirement(expression, key, at);
    if (values.has(key)) found.push(duplicate(at.child('key'), key));
    values.set(key, [...new Set(itemsOf(expression.values).map(String))].sort());
    return found;
  });
  return { values: printedTerm(values), findings };
}

function validateRequirement(expression: JsonObject, key: string, path: Path): FieldError[] {
  const values = itemsOf(expression.values).map(String);
  const isRepeated = repeats(values);
  return [
    ...(values.length === 0 ? [required(path.child('values'), '')] : []),
    ...values.flatMap((value, position) => (isRepeated(position) ? [duplicate(path.child('values').index(position), value)] : [])),
    ...qualified(key, path.child('key')),
  ];
}

const topologyWarnings = (storage: Draft<StorageClass>): string[] =>
  objectsIn(storage, 'allowedTopologies').flatMap((term, outer) =>
    objectsIn(term, 'matchLabelExpressions').flatMap((expression, inner) => {
      const text = deprecatedNodeLabel(textAt(expression, 'key'));
      return text === null
        ? []
        : [`${topologies.index(outer).child('matchLabelExpressions').index(inner).child('key').toString()}: ${text}`];
    }),
  );

export const storageClasses: Kind<Draft<StorageClass>> = {
  name: 'storageclasses.storage.k8s.io',
  defaults(storage) {
    setDefault(storage, 'reclaimPolicy', 'Delete');
    setDefault(storage, 'volumeBindingMode', 'Immediate');
  },
  validate,
  warnings: (storage) => topologyWarnings(storage),
  update: {
    review: [
      'objectMeta',
      validate,
      'objectMetaUpdate',
      immutable('parameters', printedMap),
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
