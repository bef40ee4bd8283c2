import type { StorageVersion } from '../../../api/types/apiserverinternal/v1alpha1.js';
import {
  dns1035LabelName,
  dnsSubdomain,
  invalid,
  missing,
  Path,
  qualified,
  subdomainName,
  type Draft,
  type FieldError,
  type Kind,
  type NameRule,
} from '../language.js';

type Status = NonNullable<Draft<StorageVersion>['status']>;
type Server = NonNullable<Status['storageVersions']>[number];
type Condition = NonNullable<Status['conditions']>[number];

const statusPath = Path.of('status');
const form =
  "an apiVersion is a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character" +
  " (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')";

function versionName(name: string): string[] {
  const dot = name.lastIndexOf('.');
  if (dot < 0) return ['name must be in the form of <group>.<resource>'];
  return [
    ...subdomainName(name.slice(0, dot), false).map((text) => `the group segment ${text}`),
    ...dns1035LabelName(name.slice(dot + 1), false).map((text) => `the resource segment ${text}`),
  ];
}

function apiVersionProblems(apiVersion: string): string[] {
  const parts = apiVersion.split('/');
  if (parts.length > 2) return [form];
  const [group, version = ''] = parts.length === 2 ? parts : [undefined, parts[0]];
  const problems = (part: string, rule: NameRule): string[] => (part === '' ? ['must be non-empty'] : rule(part, false));
  return [
    ...(group === undefined ? [] : problems(group, subdomainName).map((text) => `group part: ${text}`)),
    ...problems(version, dns1035LabelName).map((text) => `version part: ${text}`),
  ];
}

function apiVersionAt(apiVersion: string, path: Path): FieldError[] {
  const problems = apiVersionProblems(apiVersion);
  return problems.length === 0 ? [] : [invalid(path, apiVersion, problems.join(','))];
}

const validateServed = (version: string, decodable: readonly string[], path: Path): FieldError[] => [
  ...apiVersionAt(version, path),
  ...(decodable.includes(version)
    ? []
    : [invalid(path, version, `individual served version : ${version} must be included in decodableVersions : [${decodable.join(' ')}]`)]),
];

function validateServer(server: Server, path: Path): FieldError[] {
  const { apiServerID = '', encodingVersion = '', decodableVersions, servedVersions } = server;
  const decodable = decodableVersions ?? [];
  const at = path.child('decodableVersions');
  return [
    ...dnsSubdomain(apiServerID, path.child('apiServerID')),
    ...apiVersionAt(encodingVersion, path.child('encodingVersion')),
    ...decodable.flatMap((version, position) => apiVersionAt(version, at.index(position))),
    ...(decodable.includes(encodingVersion)
      ? []
      : [invalid(at, decodableVersions ?? null, `decodableVersions must include encodingVersion ${encodingVersion}`)]),
    ...(servedVersions ?? []).flatMap((version, position) =>
      validateServed(version, decodable, path.child('servedVersions').index(position)),
    ),
  ];
}

/** The version that all servers write, if they agree. */
function validateCommonVersion({ storageVersions = [], commonEncodingVersion }: Status): FieldError[] {
  const path = statusPath.child('commonEncodingVersion');
  const versions = new Set(storageVersions.map(({ encodingVersion = '' }) => encodingVersion));
  const [common] = versions.size === 1 ? [...versions] : [];
  if (common === commonEncodingVersion) return [];
  if (common === undefined)
    return [
      invalid(
        path,
        commonEncodingVersion,
        'should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet',
      ),
    ];
  return commonEncodingVersion === undefined
    ? [invalid(path, null, `the common encoding version is ${common}`)]
    : [invalid(path, commonEncodingVersion, `the actual common encoding version is ${common}`)];
}

/** Conditions are reported below the status itself, as in the reference. */
function validateCondition({ type = '', status = '', reason, message }: Condition, path: Path, first: number | null): FieldError[] {
  return [
    ...(first === null
      ? []
      : [invalid(path.child('type'), type, `the type of the condition is not unique, it also appears in conditions[${first}]`)]),
    ...qualified(type, path.child('type')),
    ...qualified(status, path.child('status')).map((finding) => ({
      ...finding,
      message: finding.message.replace(JSON.stringify(status), JSON.stringify(type)),
    })),
    ...(reason === '' ? [missing(path.child('reason'), 'reason cannot be empty')] : []),
    ...((message ?? '') === '' ? [missing(path.child('message'), 'message cannot be empty')] : []),
  ];
}

function validateStatus({ status = {} }: Draft<StorageVersion>): FieldError[] {
  const latest = new Map<string | undefined, number>();
  return [
    ...(status.storageVersions ?? []).flatMap((server, position) =>
      validateServer(server, statusPath.child('storageVersions').index(position)),
    ),
    ...validateCommonVersion(status),
    ...(status.conditions ?? []).flatMap((condition, position) => {
      const before = latest.get(condition.type) ?? null;
      latest.set(condition.type, position);
      return validateCondition(condition, statusPath.index(position), before);
    }),
  ];
}

export const storageVersions: Kind<Draft<StorageVersion>> = {
  name: 'storageversions.internal.apiserver.k8s.io',
  metadata: { name: versionName },
  validate: validateStatus,
  // Its specification is empty: an update has nothing to check, not even metadata.
  update: { unconditional: false, review: [] },
  subresources: { status: { keepsMetadata: true, review: [validateStatus] } },
};
