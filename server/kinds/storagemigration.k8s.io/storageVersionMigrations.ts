import type { StorageVersionMigration } from '../../../api/types/storagemigration/v1beta1.js';
import { itemsOf, memberAt, textAt } from '../../../api/json/members.js';
import { validateConditions } from '../../registry/validation/conditions.js';
import { invalid, Path, required, type FieldError } from '../../registry/validation/field.js';
import { unchanged } from '../../registry/validation/immutable.js';
import type { Draft, Kind } from '../kind.js';

const resource = Path.of('spec', 'resource');
const status = Path.of('status');
const conditions = status.child('conditions');
const versionMax = 2n ** 63n - 1n;

const resourceName = (migration: Draft<StorageVersionMigration>, member: 'group' | 'resource'): string =>
  textAt(migration, 'spec', 'resource', member);

const validate = (migration: Draft<StorageVersionMigration>): FieldError[] =>
  resourceName(migration, 'resource') === '' ? [required(resource.child('resource'), 'resource is required')] : [];

/** The migrated resource is immutable; the reference reports members without their parent path. */
const validateKept = (migration: Draft<StorageVersionMigration>, old: Draft<StorageVersionMigration>): FieldError[] =>
  (['group', 'resource'] as const).flatMap((member) =>
    unchanged(resourceName(migration, member), resourceName(old, member), Path.of(member)),
  );

function isTrue(migration: Draft<StorageVersionMigration>, type: string): boolean {
  const condition = itemsOf(memberAt(migration, 'status', 'conditions')).find((each) => textAt(each, 'type') === type);
  return textAt(condition, 'status') === 'True';
}

/** The revision up to which objects are rewritten, set once. */
const versionOf = (migration: Draft<StorageVersionMigration>): string => textAt(migration, 'status', 'resourceVersion');

function validateVersion(migration: Draft<StorageVersionMigration>): FieldError[] {
  const path = status.child('resourceVersion');
  const version = versionOf(migration);
  return [
    ...(isRevision(version) ? [] : [invalid(path, version, versionComplaint(version))]),
    ...(isRevision(version) && version.startsWith('-') ? [invalid(path, Number(version), 'must be greater than or equal to 0')] : []),
  ];
}

function validateKeptVersion(migration: Draft<StorageVersionMigration>, old: Draft<StorageVersionMigration>): FieldError[] {
  const [version, before] = [versionOf(migration), versionOf(old)];
  return before !== '' && before !== version ? [invalid(status.child('resourceVersion'), version, 'cannot be updated')] : [];
}

const isRevision = (version: string): boolean =>
  version === '' ||
  (/^[-+]?\d+$/.test(version) && BigInt(version.replace('+', '')) <= versionMax && BigInt(version.replace('+', '')) >= -versionMax - 1n);

function versionComplaint(version: string): string {
  const why = /^[-+]?\d+$/.test(version) ? 'value out of range' : 'invalid syntax';
  const quoted = JSON.stringify(version);
  return `failed to parse resource version ${quoted}: strconv.ParseInt: parsing ${quoted}: ${why}`;
}

/** Progress is final and has one outcome. */
function validateProgress(migration: Draft<StorageVersionMigration>, old: Draft<StorageVersionMigration>): FieldError[] {
  const [succeeded, failed, running] = ['Succeeded', 'Failed', 'Running'].map((type) => isTrue(migration, type));
  const complaints: readonly (readonly [applies: boolean | undefined, text: string])[] = [
    [succeeded && failed, 'Both success and failed conditions cannot be true at the same time'],
    [succeeded && running, 'Running condition cannot be true when success condition is true'],
    [failed && running, 'Running condition cannot be true when failed condition is true'],
    [isTrue(old, 'Succeeded') && !succeeded, 'Success condition cannot be set to false once it is true'],
    [isTrue(old, 'Failed') && !failed, 'Failed condition cannot be set to false once it is true'],
  ];
  return complaints
    .filter(([applies]) => applies === true)
    .map(([, text]) => invalid(conditions, memberAt(migration, 'status', 'conditions') ?? null, text));
}

export const storageVersionMigrations: Kind<Draft<StorageVersionMigration>> = {
  name: 'storageversionmigrations.storagemigration.k8s.io',
  validate,
  update: {
    unconditional: false,
    review: ['objectMeta', validate, 'objectMetaUpdate', validateKept],
  },
  subresources: {
    status: {
      keepsMetadata: true,
      review: [
        'objectMetaUpdate',
        validateVersion,
        (migration) => validateConditions(itemsOf(memberAt(migration, 'status', 'conditions')), conditions),
        validateKeptVersion,
        validateProgress,
      ],
    },
  },
};
