import type { StorageVersionMigration } from '../../../api/types/storagemigration/v1beta1.js';
import { itemsOf, memberAt, textAt } from '../../../api/json/members.js';
import { validateConditions } from '../../registry/validation/conditions.js';
import { invalid, Path, required, type FieldError } from '../../registry/validation/field.js';
import { unchanged } from '../../registry/validation/immutable.js';
import { dns1035Label, dnsSubdomain } from '../../registry/validation/values.js';
import type { Draft, Kind } from '../kind.js';

const resource = Path.of('spec', 'resource');
const status = Path.of('status');
const conditions = status.child('conditions');
const versionPath = status.child('resourceVersion');
const wholeVersion = /^[1-9][0-9]*$/;

function validate(migration: Draft<StorageVersionMigration>): FieldError[] {
  const [group, name] = (['group', 'resource'] as const).map((member) => textAt(migration, 'spec', 'resource', member));
  return [
    ...(name ? dns1035Label(name, resource.child('resource')) : [required(resource.child('resource'), 'resource is required to be set')]),
    ...(group ? dnsSubdomain(group, resource.child('group')) : []),
  ];
}

const validateKept = (migration: Draft<StorageVersionMigration>, old: Draft<StorageVersionMigration>): FieldError[] =>
  unchanged(memberAt(migration, 'spec'), memberAt(old, 'spec'), Path.of('spec'));

function isTrue(migration: Draft<StorageVersionMigration>, type: string): boolean {
  const condition = itemsOf(memberAt(migration, 'status', 'conditions')).find((each) => textAt(each, 'type') === type);
  return textAt(condition, 'status') === 'True';
}

/** The revision up to which objects are rewritten, set once. */
const versionOf = (migration: Draft<StorageVersionMigration>): string => textAt(migration, 'status', 'resourceVersion');

function validateVersion(migration: Draft<StorageVersionMigration>): FieldError[] {
  const version = versionOf(migration);
  return version === '' || wholeVersion.test(version)
    ? []
    : [invalid(versionPath, version, `resource version is not well formed: ${version}`)];
}

function validateKeptVersion(migration: Draft<StorageVersionMigration>, old: Draft<StorageVersionMigration>): FieldError[] {
  const before = versionOf(old);
  return before === '' ? [] : unchanged(versionOf(migration), before, versionPath);
}

/** Progress is final and has one outcome. A migration that is over may still say that it runs. */
function validateProgress(migration: Draft<StorageVersionMigration>, old: Draft<StorageVersionMigration>): FieldError[] {
  const [succeeded, failed] = ['Succeeded', 'Failed'].map((type) => isTrue(migration, type));
  const problems: readonly (readonly [applies: boolean | undefined, text: string])[] = [
    [succeeded && failed, 'Both success and failed conditions cannot be true at the same time'],
    [isTrue(old, 'Succeeded') && !succeeded, 'Success condition cannot be set to false once it is true'],
    [isTrue(old, 'Failed') && !failed, 'Failed condition cannot be set to false once it is true'],
  ];
  return problems
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
