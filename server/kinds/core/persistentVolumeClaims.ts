import type { ApiObject, JsonObject } from '../../api/object.js';
import { ensureObject, objectAt, setDefault, setTextDefault } from '../../registry/defaulting.js';
import type { Strategy } from '../../registry/strategy.js';
import { itemsOf } from '../../registry/members.js';
import { invalid, Path, required, type FieldError } from '../../registry/validation/field.js';
import { qualifiedNameComplaints } from '../../registry/validation/names.js';
import { alignSources } from './persistentVolumeClaim/sources.js';
import { validateClaimChange } from './persistentVolumeClaim/update.js';
import { validateClaimSpec } from './persistentVolumeClaim/validation.js';
import { validateBytes } from './persistentVolume/spec.js';
import { roundResources } from './resourceLists.js';
import { CLASS_ANNOTATION } from './persistentVolumes.js';
import { claimSpecWarnings } from './podSpec/warnings/volumes.js';

const SPEC = Path.of('spec');
const STATUS = Path.of('status');
const RESIZE_STATES: ReadonlySet<string> = new Set([
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizePending',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
]);

const specOf = (claim: ApiObject): JsonObject => objectAt(claim, 'spec') ?? {};

/** Only storage is allocated to claims, or what somebody else defines. */
const validateResourceKey = (name: string, path: Path): FieldError[] => {
  const malformed = qualifiedNameComplaints(name).map((text) => invalid(path, name, text));
  if (malformed.length > 0) return malformed;
  return name === 'storage' || (name.includes('/') && !name.includes('kubernetes.io/'))
    ? []
    : [invalid(path, name, 'must be a standard resource name or fully qualified')];
};

function validateStatus(claim: ApiObject): FieldError[] {
  const status = objectAt(claim, 'status') ?? {};
  return [
    ...(itemsOf(specOf(claim)['accessModes']).length === 0 ? [required(Path.of('Spec', 'accessModes'), '')] : []),
    ...Object.entries(objectAt(status, 'capacity') ?? {}).flatMap(([name, amount]) =>
      validateBytes(amount, STATUS.child('capacity').key(name)),
    ),
    ...Object.entries(objectAt(status, 'allocatedResourceStatuses') ?? {}).flatMap(([name, state]) => {
      const path = STATUS.child('allocatedResourceStatus');
      return [
        ...validateResourceKey(name, path),
        ...(RESIZE_STATES.has(String(state)) ? [] : [invalid(path, name, `invalid state ${String(state)} for PVC`)]),
      ];
    }),
    ...Object.entries(objectAt(status, 'allocatedResources') ?? {}).flatMap(([name, amount]) => {
      const path = STATUS.child('allocatedResources');
      const ofKey = validateResourceKey(name, path);
      return ofKey.length > 0 ? ofKey : validateBytes(amount, path.key(name));
    }),
  ];
}

const validate = (claim: ApiObject): FieldError[] => validateClaimSpec(specOf(claim), SPEC);

export const persistentVolumeClaims: Strategy = {
  deleteAnswers: 'object',
  setDefaults(claim) {
    const spec = ensureObject(claim, 'spec');
    setDefault(spec, 'volumeMode', 'Filesystem');
    roundResources(objectAt(spec, 'resources'));
    const status = objectAt(claim, 'status');
    if (status !== null) setTextDefault(status, 'phase', 'Pending');
  },
  prepareForCreate(claim) {
    claim['status'] = { phase: 'Pending' };
    alignSources(specOf(claim), null);
  },
  prepareForUpdate(claim, old) {
    claim['status'] = old['status'];
    alignSources(specOf(claim), specOf(old));
  },
  validate,
  reviewUpdate: (claim, old, metadata) => [
    ...metadata.object(),
    ...validate(claim),
    ...metadata.update(),
    ...validateClaimChange(claim, old),
  ],
  warnings: (claim) => [
    ...(claim.metadata.annotations?.[CLASS_ANNOTATION] === undefined
      ? []
      : [`metadata.annotations[${CLASS_ANNOTATION}]: deprecated since v1.8; use "storageClassName" attribute instead`]),
    ...claimSpecWarnings(specOf(claim), SPEC),
  ],
  subresources: {
    status: {
      prepareForUpdate(claim, old) {
        claim['spec'] = old['spec'];
      },
      validateUpdate: validateStatus,
    },
  },
};
