import { readFileIfPresent } from '../files.js';

export interface AuditedRequest {
  readonly user: string;
  readonly userAgent: string;
  /** One of get, list, watch, create, update, patch, delete, deletecollection. */
  readonly verb: string;
  readonly uri: string;
  /** Plural with group: `pods`, `deployments.apps`; '' for other paths. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
  readonly at: Date;
}

/** Omits the many requests of the cluster's own clients. */
export const auditPolicy = JSON.stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', users: ['system:apiserver', 'system:kube-controller-manager', 'system:anonymous'] },
    { level: 'None', userGroups: ['system:serviceaccounts:kube-system'] },
    { level: 'Metadata' },
  ],
});

export const auditFlags = (policyFile: string, logFile: string): string[] => [
  `--audit-policy-file=${policyFile}`,
  `--audit-log-path=${logFile}`,
];

interface AuditEvent {
  readonly verb?: string;
  readonly requestURI?: string;
  readonly userAgent?: string;
  readonly user?: { readonly username?: string };
  readonly objectRef?: {
    readonly resource?: string;
    readonly apiGroup?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly requestReceivedTimestamp?: string;
}

/** Returns all requests from the logs of all members, in chronological order. An incomplete line is left for the next call. */
export function readAudit(files: readonly string[]): AuditedRequest[] {
  const lines = files.flatMap((file) => (readFileIfPresent(file) ?? '').split('\n').slice(0, -1));
  return lines.map((line) => requestOf(JSON.parse(line) as AuditEvent)).sort((a, b) => a.at.getTime() - b.at.getTime());
}

function requestOf({
  verb = '',
  requestURI: uri = '',
  userAgent = '',
  user,
  objectRef = {},
  responseStatus,
  requestReceivedTimestamp = '',
}: AuditEvent): AuditedRequest {
  const { resource = '', apiGroup = '', subresource = '', namespace = '', name = '' } = objectRef;
  return {
    user: user?.username ?? '',
    userAgent,
    verb,
    uri,
    resource: apiGroup === '' ? resource : `${resource}.${apiGroup}`,
    subresource,
    namespace,
    name,
    code: responseStatus?.code ?? 0,
    at: new Date(requestReceivedTimestamp),
  };
}
