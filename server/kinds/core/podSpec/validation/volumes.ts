import type { Steps } from '../../../../../api/steps.js';
import type { JsonObject } from '../../../../../api/object.js';
import { objectAt, objectsIn } from '../../../../../api/json/defaulting.js';
import { textAt } from '../../../../../api/json/members.js';
import { duplicate, forbidden, invalid, type Path, required, type FieldError } from '../../../../registry/validation/field.js';
import { subdomainName } from '../../../../registry/validation/names.js';
import { validateTemplateMetadata } from '../../../../registry/validation/templatemetadata.js';
import { dnsLabel } from '../../../../registry/validation/values.js';
import { validateClaimSpec } from '../../persistentVolumeClaim/validation.js';
import type { Volumes } from './mounts.js';
import type { SourceRule } from './sources/rule.js';
import { imageVolume, reportedAs, surplusAs, volumeSources } from './sources/table.js';
import { specOf } from '../../../parts.js';
import { atOnce, inOrder, ofEach } from '../../../../registry/validation/ofEach.js';
import { outcomeOf } from '../../../../registry/stepwise.js';

/** A claim that is created and deleted with the pod. */
const ephemeral: SourceRule = (source, path) => {
  const template = objectAt(source, 'volumeClaimTemplate');
  const at = path.child('volumeClaimTemplate');
  if (template === null) return [required(at, '')];
  const meta = objectAt(template, 'metadata') ?? {};
  return atOnce(inOrder(validateTemplateMetadata(meta, at.child('metadata')), validateClaimSpec(specOf(template), at.child('spec'))));
};

type Rules = Readonly<Record<string, SourceRule>>;
const ofPods: Rules = { ...volumeSources, ephemeral, image: imageVolume(false) };
const ofTemplates: Rules = { ...volumeSources, ephemeral, image: imageVolume(true) };

/** An empty `podName` skips the checks that depend on it. */
export function* validateVolumes(
  spec: JsonObject,
  specPath: Path,
  { podName, ofTemplate }: { readonly podName: string; readonly ofTemplate: boolean },
): Steps<{ readonly findings: FieldError[]; readonly volumes: Volumes }> {
  const volumes = new Map<string, JsonObject>();
  const made = claimsMadeFor(spec, podName);
  const found = ofEach(objectsIn(spec, 'volumes'), (volume, position) => {
    const at = specPath.child('volumes').index(position);
    const name = textAt(volume, 'name');
    const ofVolume = [
      ...validateSource(volume, at, ofTemplate ? ofTemplates : ofPods),
      ...validateClaimName(volume, podName, at),
      ...(name === '' ? [required(at.child('name'), '')] : dnsLabel(name, at.child('name'))),
      ...(volumes.has(name) ? [duplicate(at.child('name'), name)] : []),
    ];
    if (ofVolume.length === 0) volumes.set(name, volume);
    return [...ofVolume, ...validateForeignClaim(volume, made, at)];
  });
  return { findings: yield* outcomeOf(found), volumes };
}

const sources = Object.keys(ofPods);
const sourcesIn = (volume: JsonObject): string[] =>
  Object.keys(volume).filter((member) => Object.hasOwn(ofPods, member) && objectAt(volume, member) !== null);

function validateSource(volume: JsonObject, path: Path, rules: Rules): FieldError[] {
  const present = sourcesIn(volume).sort((a, b) => sources.indexOf(a) - sources.indexOf(b));
  if (present.length === 0) return [required(path, 'must specify a volume type')];
  return present.flatMap((source, order) =>
    order > 0
      ? [forbidden(path.child(surplusAs[source] ?? source), 'may not specify more than 1 volume type')]
      : (rules[source] as SourceRule)(objectAt(volume, source) ?? {}, path.child(reportedAs[source] ?? source), textAt(volume, 'name')),
  );
}

const claimNameOf = (podName: string, volume: JsonObject): string => `${podName}-${textAt(volume, 'name')}`;
const claimsMadeFor = (spec: JsonObject, podName: string): ReadonlySet<string> =>
  new Set(
    podName === ''
      ? []
      : objectsIn(spec, 'volumes')
          .filter((volume) => objectAt(volume, 'ephemeral') !== null)
          .map((volume) => claimNameOf(podName, volume)),
  );

const nameBudget = 64;

/** Names derived from the volume's name must be valid, too. */
function validateClaimName(volume: JsonObject, podName: string, path: Path): FieldError[] {
  const name = textAt(volume, 'name');
  const iscsi = objectAt(volume, 'iscsi');
  const tooLong =
    iscsi !== null &&
    typeof iscsi['initiatorName'] === 'string' &&
    Buffer.byteLength(`${name}:${textAt(iscsi, 'targetPortal')}`) > nameBudget;
  const claim = claimNameOf(podName, volume);
  return [
    ...(tooLong
      ? [
          invalid(
            path.child('name'),
            name,
            `Total length of <volume name>:<iscsi.targetPortal> must be under ${nameBudget} characters if iscsi.initiatorName is specified.`,
          ),
        ]
      : []),
    ...(objectAt(volume, 'ephemeral') === null || podName === '' || name === ''
      ? []
      : subdomainName(claim, false).map((text) => invalid(path.child('name'), name, `PVC name ${JSON.stringify(claim)}: ${text}`))),
  ];
}

/** A pod's ephemeral claim cannot be an existing one. */
function validateForeignClaim(volume: JsonObject, made: ReadonlySet<string>, path: Path): FieldError[] {
  const claim = textAt(volume, 'persistentVolumeClaim', 'claimName');
  return made.has(claim)
    ? [
        invalid(
          path.child('persistentVolumeClaim', 'claimName'),
          claim,
          'must not reference a PVC that gets created for an ephemeral volume',
        ),
      ]
    : [];
}
