import * as enums from '../../../../../api/data/enums.js';
import {
  atOnce,
  dnsLabel,
  duplicate,
  inOrder,
  invalid,
  isSet,
  itemsOf,
  members,
  ofEach,
  oneOf,
  outcomeOf,
  required,
  structure,
  subdomainName,
  union,
  type FieldError,
  type Path,
  type Steps,
  type Writable,
} from '../../../language.js';
import type * as v1 from '../../../../../api/types/core/v1.js';
import { validateTemplateMetadata } from '../../../../registry/validation/templateMetadata.js';
import { claimSpec } from '../../persistentVolumeClaim/validation.js';
import type { Volumes } from './facts.js';
import { sourceNames, volumeSources } from './sources/table.js';

type Volume = Writable<v1.Volume>;

/** A claim that is created and deleted with the pod. */
const ephemeral = members<v1.EphemeralVolumeSource>({
  volumeClaimTemplate: required(
    members<v1.PersistentVolumeClaimTemplate>({ metadata: structure(validateTemplateMetadata), spec: claimSpec }),
  ),
});

const pullPolicy = required(oneOf(...enums.PullPolicy));
const texts = { none: 'must specify a volume type', surplus: 'may not specify more than 1 volume type', names: sourceNames };
const common = { ...volumeSources, ephemeral };
const sources = Object.keys(common) as (keyof v1.Volume)[];
const ofPods = union<v1.Volume>({ ...common, image: members<v1.ImageVolumeSource>({ reference: required(), pullPolicy }) }, texts);
/** A template may omit the image, which the creator of the pods sets. */
const ofTemplates = union<v1.Volume>({ ...common, image: members<v1.ImageVolumeSource>({ pullPolicy }) }, texts);
const named = members<v1.Volume>({ name: required(dnsLabel) });

/** An empty `podName` skips the checks that depend on it. */
export function* validateVolumes(
  spec: Writable<v1.PodSpec>,
  specPath: Path,
  { podName, ofTemplate }: { readonly podName: string; readonly ofTemplate: boolean },
): Steps<{ readonly findings: FieldError[]; readonly volumes: Volumes }> {
  const volumes = new Map<string, Volume>();
  const path = specPath.child('volumes');
  const made = claimsMadeFor(spec, podName);
  const source = ofTemplate ? ofTemplates : ofPods;
  const found = ofEach(itemsOf(spec.volumes), (volume, position) => {
    const at = path.index(position);
    const { name = '' } = volume;
    const ofVolume = atOnce(
      inOrder(
        source(volume, at, spec),
        initiatorName(volume, at),
        claimName(volume, podName, at),
        named(volume, at, spec),
        volumes.has(name) ? [duplicate(at.child('name'), name)] : [],
      ),
    );
    if (ofVolume.length === 0) volumes.set(name, volume);
    return [...ofVolume, ...foreignClaim(volume, made, at)];
  });
  return { findings: yield* outcomeOf(found), volumes };
}

const claimNameOf = (podName: string, { name = '' }: Volume): string => `${podName}-${name}`;
const claimsMadeFor = (spec: Writable<v1.PodSpec>, podName: string): ReadonlySet<string> =>
  new Set(
    podName === ''
      ? []
      : itemsOf(spec.volumes)
          .filter((volume) => isSet(volume.ephemeral))
          .map((volume) => claimNameOf(podName, volume)),
  );

const nameBudget = 64;
const budgetText = `Total length of <volume name>:<iscsi.targetPortal> must be under ${nameBudget} characters if iscsi.initiatorName is specified.`;

function initiatorName({ name = '', iscsi }: Volume, path: Path): FieldError[] {
  if (!isSet(iscsi?.initiatorName) || Buffer.byteLength(`${name}:${iscsi.targetPortal ?? ''}`) <= nameBudget) return [];
  return [invalid(path.child('name'), name, budgetText)];
}

function claimName(volume: Volume, podName: string, path: Path): FieldError[] {
  const { name = '' } = volume;
  if (podName === '' || name === '' || !isSet(volume.ephemeral) || sources.find((source) => isSet(volume[source])) !== 'ephemeral')
    return [];
  const claim = claimNameOf(podName, volume);
  return subdomainName(claim, false).map((text) => invalid(path.child('name'), name, `PVC name ${JSON.stringify(claim)}: ${text}`));
}

/** A pod's ephemeral claim cannot be an existing one. */
function foreignClaim({ persistentVolumeClaim }: Volume, made: ReadonlySet<string>, path: Path): FieldError[] {
  const claim = persistentVolumeClaim?.claimName ?? '';
  if (!made.has(claim)) return [];
  const at = path.child('persistentVolumeClaim', 'claimName');
  return [invalid(at, claim, 'must not reference a PVC that gets created for an ephemeral volume')];
}
