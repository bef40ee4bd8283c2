import type { KeyAndCertificate } from '../../../deploy/certificateRequest.js';
import { ApiClient } from '../../fixtures/apiClient.js';
import type { TortureCluster, TortureMember } from '../cluster/tortureCluster.js';
import { attackedNamespace, nodeName } from './identities.js';

const floodAtOnce = 64;
/** The same for expensive requests. */
const expensiveAtOnce = 4;
const requestsMax = 100_000;
const requestTimeoutMs = 5_000;
/** A short role body of this many groups, resources and verbs covers their product. */
const namesMax = 100;
const operationsMax = 5_000;
const largeBytes = 200_000;

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly type?: string;
}

interface Flood {
  readonly cluster: TortureCluster;
  readonly member: TortureMember;
  readonly credentials: KeyAndCertificate;
  readonly signal: AbortSignal;
}

/** Sends the requests of `next`, `atOnce` at a time, until the signal. Returns the number of answers. */
async function flood({ cluster, member, credentials, signal }: Flood, atOnce: number, next: (n: number) => Request): Promise<number> {
  const client = new ApiClient(member.address, cluster, { cert: credentials.certificate, key: credentials.key });
  let sent = 0;
  let answered = 0;
  const loop = async (): Promise<void> => {
    while (!signal.aborted && sent < requestsMax) {
      const { method, path, ...rest } = next(sent++);
      const answer = await client.request(method, path, { ...rest, timeoutMs: requestTimeoutMs }).catch(() => null);
      if (answer !== null) answered++;
    }
  };
  signal.addEventListener(
    'abort',
    () => {
      client.close();
    },
    { once: true },
  );
  await Promise.all(Array.from({ length: atOnce }, loop));
  return answered;
}

const configMaps = `/api/v1/namespaces/${attackedNamespace}/configmaps`;

/** Gets absent objects as fast as possible. */
export const floodOfGets = (by: Flood): Promise<number> =>
  flood(by, floodAtOnce, (n) => ({ method: 'GET', path: `${configMaps}/absent-${n % 100}` }));

/** Reads and writes objects within a node's rights. */
export function floodOfNode(by: Flood): Promise<number> {
  const node = { kind: 'Node', apiVersion: 'v1', metadata: { name: nodeName } };
  const requests: readonly ((n: number) => Request)[] = [
    () => ({ method: 'POST', path: '/api/v1/nodes', body: node }),
    (n) => ({
      method: 'PATCH',
      path: `/api/v1/nodes/${nodeName}/status`,
      body: { status: { capacity: { pods: String(n % 1_000) } } },
      type: 'application/merge-patch+json',
    }),
    () => ({ method: 'GET', path: '/api/v1/services' }),
    () => ({ method: 'GET', path: `/api/v1/pods?fieldSelector=spec.nodeName%3D${nodeName}` }),
  ];
  return flood(by, floodAtOnce, (n) => requests[n % requests.length]!(n));
}

/** Posts small bodies that cost much work. */
export function floodOfExpensiveObjects(by: Flood): Promise<number> {
  const names = (prefix: string): readonly string[] => Array.from({ length: namesMax }, (_, i) => `${prefix}${i}`);
  const role = { metadata: { name: 'wide' }, rules: [{ apiGroups: names('g'), resources: names('r'), verbs: names('v') }] };
  const patch = Array.from({ length: operationsMax }, (_, i) => ({ op: 'add', path: `/data/k${i}`, value: 'x' }));
  const requests: readonly (() => Request)[] = [
    () => ({ method: 'POST', path: `/apis/rbac.authorization.k8s.io/v1/namespaces/${attackedNamespace}/roles`, body: role }),
    () => ({ method: 'POST', path: configMaps, body: { metadata: { name: 'large' }, data: { text: 'x'.repeat(largeBytes) } } }),
    () => ({ method: 'PATCH', path: `${configMaps}/large`, body: patch, type: 'application/json-patch+json' }),
    () => ({
      method: 'GET',
      path: `${configMaps}?labelSelector=${names('a')
        .map((name) => `${name}!%3Db`)
        .join(',')}`,
    }),
    () => ({ method: 'DELETE', path: `${configMaps}/large` }),
  ];
  return flood(by, expensiveAtOnce, (n) => requests[n % requests.length]!());
}
