import fs from 'node:fs';
import path from 'node:path';
import type { KeyAndCertificate } from '../../../deploy/certificateRequest.js';
import { issueCertificate } from '../../../deploy/certificates.js';
import type { TortureCluster } from '../cluster/tortureCluster.js';

export const attackedNamespace = 'attacked';
export const nodeName = 'attacker';

/** Attackers with certificates of the cluster's authority. */
export interface Identities {
  /** May only get config maps of one namespace. */
  readonly user: KeyAndCertificate;
  readonly node: KeyAndCertificate;
  /** Administers only the namespace. */
  readonly administrator: KeyAndCertificate;
}

const group = 'rbac.authorization.k8s.io';
const requestTimeoutMs = 5_000;
const made = new WeakMap<TortureCluster, Promise<Identities>>();

/** Creates them once for each cluster. Rejects while the cluster accepts no writes; the next call retries. */
export function identitiesOf(cluster: TortureCluster): Promise<Identities> {
  const known = made.get(cluster) ?? make(cluster);
  made.set(cluster, known);
  known.catch(() => {
    made.delete(cluster);
  });
  return known;
}

async function make(cluster: TortureCluster): Promise<Identities> {
  const { caFile } = cluster.pki;
  const authority = {
    certificate: fs.readFileSync(caFile, 'utf8'),
    key: fs.readFileSync(path.join(path.dirname(caFile), 'ca.key'), 'utf8'),
  };
  const issue = (commonName: string, organization: string): Promise<KeyAndCertificate> =>
    issueCertificate(authority, { commonName, organization, usages: ['clientAuth'] });
  const place = `/apis/${group}/v1/namespaces/${attackedNamespace}`;
  const subject = (name: string): object => ({ kind: 'User', name, apiGroup: group });
  await create(cluster, '/api/v1/namespaces', { metadata: { name: attackedNamespace } });
  await create(cluster, `${place}/roles`, {
    metadata: { name: 'getter' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
  });
  await create(cluster, `${place}/rolebindings`, {
    metadata: { name: 'getter' },
    roleRef: { apiGroup: group, kind: 'Role', name: 'getter' },
    subjects: [subject('getter')],
  });
  await create(cluster, `${place}/rolebindings`, {
    metadata: { name: 'admin' },
    roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'admin' },
    subjects: [subject('administrator')],
  });
  return {
    user: await issue('getter', 'attackers'),
    node: await issue(`system:node:${nodeName}`, 'system:nodes'),
    administrator: await issue('administrator', 'attackers'),
  };
}

async function create({ members }: TortureCluster, at: string, body: object): Promise<void> {
  for (const { client } of members) {
    const answer = await client.request('POST', at, { body, timeoutMs: requestTimeoutMs }).catch(() => null);
    if (answer?.status === 201 || answer?.status === 409) return;
  }
  throw new Error(`no member takes ${at}`);
}
