import type * as metaV1 from '../../../api/types/meta/v1.js';
import type * as v1beta1 from '../../../api/types/storagemigration/v1beta1.js';
import {
  conditions,
  dns1035Label,
  dnsSubdomain,
  invalid,
  itemsOf,
  members,
  nonZero,
  objectRules,
  Path,
  requiredAs,
  unchanged,
  type Draft,
  type FieldError,
  type Kind,
} from '../language.js';
import { immutable } from '../immutable.js';

type Migration = Draft<v1beta1.StorageVersionMigration>;

const status = Path.of('status');
const wholeVersion = /^[1-9][0-9]*$/;

const validate = objectRules<v1beta1.StorageVersionMigration>({
  spec: members<v1beta1.StorageVersionMigrationSpec>({
    resource: members<metaV1.GroupResource>({
      resource: requiredAs('resource is required to be set', dns1035Label),
      group: nonZero(dnsSubdomain),
    }),
  }),
});

const validateStatus = objectRules<v1beta1.StorageVersionMigration>({
  status: members<v1beta1.StorageVersionMigrationStatus>({
    resourceVersion: nonZero((version, path) =>
      wholeVersion.test(version) ? [] : [invalid(path, version, `resource version is not well formed: ${version}`)],
    ),
    conditions,
  }),
});

const isTrue = ({ status }: Migration, type: string): boolean =>
  itemsOf(status?.conditions).find((each) => each.type === type)?.status === 'True';

/** The revision up to which objects are rewritten is set once. */
function validateKeptVersion({ status: now }: Migration, { status: old }: Migration): FieldError[] {
  const before = old?.resourceVersion ?? '';
  return before === '' ? [] : unchanged(now?.resourceVersion ?? '', before, status.child('resourceVersion'));
}

/** Progress is final and has one outcome. A migration that is over may still say that it runs. */
function validateProgress(migration: Migration, old: Migration): FieldError[] {
  const [succeeded, failed] = [isTrue(migration, 'Succeeded'), isTrue(migration, 'Failed')];
  const problems: readonly (readonly [applies: boolean, text: string])[] = [
    [succeeded && failed, 'Both success and failed conditions cannot be true at the same time'],
    [isTrue(old, 'Succeeded') && !succeeded, 'Success condition cannot be set to false once it is true'],
    [isTrue(old, 'Failed') && !failed, 'Failed condition cannot be set to false once it is true'],
  ];
  return problems.filter(([applies]) => applies).map(([, text]) => invalid(status.child('conditions'), migration.status?.conditions, text));
}

export const storageVersionMigrations: Kind<Migration> = {
  name: 'storageversionmigrations.storagemigration.k8s.io',
  validate,
  update: {
    unconditional: false,
    review: ['objectMeta', validate, 'objectMetaUpdate', immutable('spec')],
  },
  subresources: {
    status: {
      keepsMetadata: true,
      review: ['objectMetaUpdate', validateStatus, validateKeptVersion, validateProgress],
    },
  },
};
