import type { CSIDriver } from '../../../api/types/storage/v1.js';
import type { JsonObject } from '../../../api/object.js';
import { ensureObject, objectsIn, setDefault } from '../../../api/json/defaulting.js';
import { sameValue } from '../../../api/json/equality.js';
import { itemsOf, textAt } from '../../../api/json/members.js';
import { duplicate, invalid, notSupported, Path, type FieldError } from '../../registry/validation/field.js';
import { unchanged } from '../../registry/validation/immutable.js';
import { optionallyOneOf } from '../../registry/validation/values.js';
import { booleanAt, joinedAt, none, unset } from '../cells.js';
import { gate } from '../gated.js';
import { immutable } from '../immutable.js';
import type { Draft, Kind } from '../kind.js';
import { specOf } from '../parts.js';

const specPath = Path.of('spec');
const tokenSecondsMin = 10 * 60;
const tokenSecondsMax = 2 ** 32;
const updatePeriodSecondsMin = 10;
const modes = ['Persistent', 'Ephemeral'];
const flags = {
  attachRequired: true,
  podInfoOnMount: false,
  storageCapacity: false,
  requiresRepublish: false,
  seLinuxMount: false,
};
const secretsWarning =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';

function setDefaults(driver: Draft<CSIDriver>): void {
  const spec = ensureObject(driver, 'spec');
  for (const [member, value] of Object.entries(flags)) setDefault(spec, member as keyof typeof flags, value);
  if (itemsOf(spec.volumeLifecycleModes).length === 0) spec.volumeLifecycleModes = ['Persistent'];
  setDefault(spec, 'fsGroupPolicy', 'ReadWriteOnceWithFSType');
}

function validate(driver: Draft<CSIDriver>): FieldError[] {
  const spec = specOf(driver);
  const period = spec.nodeAllocatableUpdatePeriodSeconds;
  const inSecrets = spec.serviceAccountTokenInSecrets;
  return [
    ...optionallyOneOf(spec.fsGroupPolicy, ['File', 'None', 'ReadWriteOnceWithFSType'], specPath.child('fsGroupPolicy')),
    ...validateTokenRequests(objectsIn(spec, 'tokenRequests'), specPath.child('tokenRequests')),
    ...itemsOf(spec.volumeLifecycleModes)
      .filter((mode) => !modes.includes(String(mode)))
      .map((mode) => notSupported(specPath.child('volumeLifecycleModes'), mode, modes)),
    ...(period !== undefined && Number(period) < updatePeriodSecondsMin
      ? [
          invalid(
            specPath.child('nodeAllocatableUpdatePeriodSeconds'),
            period,
            `must be greater than or equal to ${updatePeriodSecondsMin} seconds`,
          ),
        ]
      : []),
    ...(inSecrets !== undefined && objectsIn(spec, 'tokenRequests').length === 0
      ? [
          invalid(
            specPath.child('serviceAccountTokenInSecrets'),
            inSecrets,
            'serviceAccountTokenInSecrets is set but no tokenRequests are specified',
          ),
        ]
      : []),
  ];
}

/** One token per audience; a duplicate audience ends its check. */
function validateTokenRequests(requests: readonly JsonObject[], path: Path): FieldError[] {
  const seen = new Set<string>();
  return requests.flatMap((request, position) => {
    const audience = textAt(request, 'audience');
    if (seen.has(audience)) return [duplicate(path.index(position).child('audience'), audience)];
    seen.add(audience);
    return validateLifetime(request.expirationSeconds, path.index(position).child('expirationSeconds'));
  });
}

function validateLifetime(seconds: unknown, path: Path): FieldError[] {
  if (seconds === undefined) return [];
  return [
    ...(Number(seconds) < tokenSecondsMin ? [invalid(path, seconds, 'may not specify a duration less than 10 minutes')] : []),
    ...(Number(seconds) > tokenSecondsMax ? [invalid(path, seconds, 'may not specify a duration larger than 2^32 seconds')] : []),
  ];
}

/** The field is not listed as gated: every driver has it and would count as using it. */
function keepContextMounts(driver: Draft<CSIDriver>, old: Draft<CSIDriver> | null): void {
  ensureObject(driver, 'spec').seLinuxMount = old?.spec?.seLinuxMount ?? false;
}

const secrets = ['tokenRequests', 'serviceAccountTokenInSecrets'] as const;

const warnings = (driver: Draft<CSIDriver>): string[] => {
  const spec = specOf(driver);
  return objectsIn(spec, 'tokenRequests').length > 0 && spec.serviceAccountTokenInSecrets === undefined ? [secretsWarning] : [];
};

export const csiDrivers: Kind<Draft<CSIDriver>> = {
  name: 'csidrivers.storage.k8s.io',
  gated: [
    gate('CSIServiceAccountTokenSecrets', 'spec.serviceAccountTokenInSecrets'),
    gate('MutableCSINodeAllocatableCount', 'spec.nodeAllocatableUpdatePeriodSeconds'),
    gate('VolumeLimitScaling', 'spec.preventPodSchedulingIfMissing'),
  ],
  metadata: { generationOf: ['spec'], countsCreation: false },
  defaults: setDefaults,
  prepare(driver, old, { enabled }) {
    if (!enabled('SELinuxMountReadWriteOncePod')) keepContextMounts(driver, old);
  },
  validate,
  // An update that changes neither is not warned again.
  warnings: (driver, old) =>
    old !== null && secrets.every((member) => sameValue(specOf(driver)[member], specOf(old)[member])) ? [] : warnings(driver),
  update: {
    unconditional: false,
    review: [
      'objectMetaUpdate',
      validate,
      (driver, old) => unchanged(specOf(driver).attachRequired, specOf(old).attachRequired, specPath.child('attachedRequired')),
      immutable('spec.volumeLifecycleModes'),
    ],
  },
  delete: { answers: 'object' },
  cells: {
    AttachRequired: booleanAt('spec.attachRequired'),
    PodInfoOnMount: booleanAt('spec.podInfoOnMount'),
    StorageCapacity: booleanAt('spec.storageCapacity'),
    TokenRequests: joinedAt('spec.tokenRequests[].audience', unset),
    RequiresRepublish: booleanAt('spec.requiresRepublish'),
    Modes: joinedAt('spec.volumeLifecycleModes[]', none),
  },
};
