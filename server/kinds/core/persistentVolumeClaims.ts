import * as enums from '../../../api/data/enums.js';
import {
  at,
  created,
  eachValue,
  gate,
  invalid,
  itemsOf,
  memberAt,
  members,
  missing,
  notSupported,
  objectRules,
  objectsIn,
  ofEach,
  Path,
  qualifiedNameProblems,
  specOf,
  statusOf,
  textAt,
  unset,
  type Draft,
  type FieldError,
  type Kind,
} from '../language.js';
import type * as v1 from '../../../api/types/core/v1.js';
import { validateBytes } from './persistentVolume/spec.js';
import { alignSources } from './persistentVolumeClaim/sources.js';
import { validateClaimChange } from './persistentVolumeClaim/update.js';
import { claimSpec, pendingClaim } from './persistentVolumeClaim/validation.js';
import { classAnnotation } from './persistentVolumes.js';
import { claimSpecWarnings } from './podSpec/warnings/volumes.js';
import { accessModes, terminatingOr } from './volumeCells.js';

const spec = Path.of('spec');
const resizeStates = enums.ClaimResourceStatus;

/** Only storage, or custom resources, are allocated to claims. */
const validateResourceKey = (name: string, path: Path): FieldError[] => {
  const malformed = qualifiedNameProblems(name).map((text) => invalid(path, name, text));
  if (malformed.length > 0) return malformed;
  return name === 'storage' || (name.includes('/') && !name.includes('kubernetes.io/')) ? [] : [notSupported(path, name, ['storage'])];
};

const validateStatus = objectRules<v1.PersistentVolumeClaim>({
  spec: (spec) => (itemsOf(spec?.accessModes).length === 0 ? [missing(Path.of('Spec', 'accessModes'), '')] : []),
  status: members<v1.PersistentVolumeClaimStatus>({
    capacity: eachValue(validateBytes),
    allocatedResourceStatuses: (statuses = {}, path) =>
      ofEach(Object.entries(statuses), ([name, state]) => [
        ...validateResourceKey(name, path),
        ...(resizeStates.includes(state) ? [] : [notSupported(path, name, resizeStates)]),
      ]),
    allocatedResources: (amounts = {}, path) =>
      ofEach(Object.entries(amounts), ([name, amount]) => {
        const ofKey = validateResourceKey(name, path);
        return ofKey.length > 0 ? ofKey : validateBytes(amount, path.key(name));
      }),
  }),
});

/** While the feature is off, this condition is not added. */
const unusedType = 'Unused';
const tellsUse = (claim: Draft<v1.PersistentVolumeClaim>): boolean =>
  objectsIn(statusOf(claim), 'conditions').some(({ type }) => type === unusedType);
function dropUse(claim: Draft<v1.PersistentVolumeClaim>): void {
  const status = statusOf(claim);
  const kept = objectsIn(status, 'conditions').filter(({ type }) => type !== unusedType);
  if (kept.length > 0) status.conditions = kept;
  else delete status.conditions;
}

const validate = objectRules<v1.PersistentVolumeClaim>({ spec: created(claimSpec), status: pendingClaim });

export const persistentVolumeClaims: Kind<Draft<v1.PersistentVolumeClaim>> = {
  name: 'persistentvolumeclaims',
  gated: [gate('VolumeAttributesClass', 'spec.volumeAttributesClassName')],
  defaults: validate.defaults,
  prepare(claim, old, { enabled }) {
    alignSources(specOf(claim), old === null ? null : specOf(old), enabled);
  },
  validate,
  warnings: (claim) => [
    ...(claim.metadata.annotations?.[classAnnotation] === undefined
      ? []
      : [`metadata.annotations[${classAnnotation}]: deprecated since v1.8; use "storageClassName" attribute instead`]),
    ...claimSpecWarnings(specOf(claim), spec),
  ],
  create: {
    status: { phase: 'Pending' },
  },
  update: {
    review: ['objectMetaUpdate', 'objectMeta', validate, validateClaimChange],
  },
  subresources: {
    status: {
      prepare(claim, old, { enabled }) {
        if (!enabled('PersistentVolumeClaimUnusedSinceTime') && !tellsUse(old)) dropUse(claim);
      },
      validate: validateStatus,
    },
  },
  delete: { answers: 'object' },
  cells: {
    Status: (claim) => terminatingOr(claim, textAt(claim, 'status', 'phase')),
    Volume: at('spec.volumeName', ''),
    Capacity: (claim) => (textAt(claim, 'spec', 'volumeName') === '' ? '' : textAt(claim, 'status', 'capacity', 'storage') || '0'),
    'Access Modes': (claim) => (textAt(claim, 'spec', 'volumeName') === '' ? '' : accessModes(memberAt(claim, 'status', 'accessModes'))),
    StorageClass: at('spec.storageClassName', ''),
    VolumeAttributesClass: at('spec.volumeAttributesClassName', unset),
    VolumeMode: at('spec.volumeMode', unset),
  },
};
