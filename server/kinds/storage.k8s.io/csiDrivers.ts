import type * as v1 from '../../../api/types/storage/v1.js';
import {
  andThen,
  booleanAt,
  byDefault,
  created,
  distinct,
  ensureObject,
  gate,
  insteadOfZero,
  invalid,
  itemsOf,
  joinedAt,
  members,
  none,
  objectRules,
  objectsIn,
  ofEach,
  oneOf,
  optional,
  Path,
  sameValue,
  specOf,
  unchanged,
  unset,
  type Draft,
  type FieldError,
  type Kind,
  type Writable,
} from '../language.js';
import { immutable } from '../immutable.js';

const specPath = Path.of('spec');
const tokenSecondsMin = 10 * 60;
const tokenSecondsMax = 2 ** 32;
const updatePeriodSecondsMin = 10;
const secretsWarning =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';

const mode = oneOf('Persistent', 'Ephemeral');

const flags = members<v1.CSIDriverSpec>({
  attachRequired: byDefault(true),
  podInfoOnMount: byDefault(false),
  storageCapacity: byDefault(false),
  requiresRepublish: byDefault(false),
  seLinuxMount: byDefault(false),
  volumeLifecycleModes: insteadOfZero(() => ['Persistent']),
});
const spec = members<v1.CSIDriverSpec>({
  fsGroupPolicy: byDefault('ReadWriteOnceWithFSType', oneOf('File', 'None', 'ReadWriteOnceWithFSType')),
  tokenRequests: distinct('audience', (once) => andThen(once, members<v1.TokenRequest>({ expirationSeconds: optional(lifetime) }))),
  volumeLifecycleModes: (modes, path) => ofEach(itemsOf(modes), (each) => mode(each, path)),
  nodeAllocatableUpdatePeriodSeconds: optional(updatePeriod),
  serviceAccountTokenInSecrets: optional(forTokens),
});
const validate = objectRules<v1.CSIDriver>({ spec: created(flags, spec) });

function lifetime(seconds: number, path: Path): FieldError[] {
  if (seconds < tokenSecondsMin) return [invalid(path, seconds, 'may not specify a duration less than 10 minutes')];
  return seconds > tokenSecondsMax ? [invalid(path, seconds, 'may not specify a duration larger than 2^32 seconds')] : [];
}

function updatePeriod(seconds: number, path: Path): FieldError[] {
  const least = updatePeriodSecondsMin;
  return seconds < least ? [invalid(path, seconds, `must be greater than or equal to ${least} seconds`)] : [];
}

function forTokens(inSecrets: boolean, path: Path, { tokenRequests }: Writable<v1.CSIDriverSpec>): FieldError[] {
  const text = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified';
  return itemsOf(tokenRequests).length === 0 ? [invalid(path, inSecrets, text)] : [];
}

/** The field is not listed as gated: every driver has it and would count as using it. */
function keepContextMounts(driver: Draft<v1.CSIDriver>, old: Draft<v1.CSIDriver> | null): void {
  ensureObject(driver, 'spec').seLinuxMount = old?.spec?.seLinuxMount ?? false;
}

const secrets = ['tokenRequests', 'serviceAccountTokenInSecrets'] as const;

const warnings = (driver: Draft<v1.CSIDriver>): string[] => {
  const spec = specOf(driver);
  return objectsIn(spec, 'tokenRequests').length > 0 && spec.serviceAccountTokenInSecrets === undefined ? [secretsWarning] : [];
};

export const csiDrivers: Kind<Draft<v1.CSIDriver>> = {
  name: 'csidrivers.storage.k8s.io',
  gated: [
    gate('CSIServiceAccountTokenSecrets', 'spec.serviceAccountTokenInSecrets'),
    gate('MutableCSINodeAllocatableCount', 'spec.nodeAllocatableUpdatePeriodSeconds'),
    gate('VolumeLimitScaling', 'spec.preventPodSchedulingIfMissing'),
  ],
  metadata: { generationOf: ['spec'], countsCreation: false },
  defaults: validate.defaults,
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
