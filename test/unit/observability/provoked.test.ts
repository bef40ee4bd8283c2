import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { readApiServerOptions } from '../../../server/options/apiserver.js';
import { startServer, type RunningServer } from '../../../server/server.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';
import { call1, recordingLogger, type Answer, type Call } from '../http/frontDoor.js';
import { createIdentities, type Identity } from '../http/identities.js';

/** What is counted when something happens, seen from outside on a running server. */
describe('metrics that are provoked', function () {
  this.timeout(60_000);
  let server: RunningServer;
  let admin: Identity;

  before(async () => {
    const identities = await createIdentities();
    const data = temporaryDirectory('provoked');
    const pair = await identities.issue({ name: 'server', usage: 'serverAuth' });
    admin = await identities.issue({ name: 'admin', groups: ['system:masters'] });
    const policy = path.join(data, 'policy.yaml');
    fs.writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Metadata }]\n');
    const read = readApiServerOptions([
      '--bind-address=127.0.0.1',
      '--secure-port=0',
      '--authorization-mode=Node,RBAC',
      '--service-cluster-ip-range=10.96.0.0/24',
      '--service-node-port-range=30000-30099',
      `--raft-data-dir=${path.join(data, 'raft')}`,
      `--client-ca-file=${identities.caFile}`,
      `--tls-cert-file=${pair.certFile}`,
      `--tls-private-key-file=${pair.keyFile}`,
      `--audit-policy-file=${policy}`,
      `--audit-log-path=${path.join(data, 'audit.log')}`,
    ]);
    if (!read.ok) throw new Error(read.errors.join('\n'));
    server = await startServer(read.options, recordingLogger([]));
    await server.ready;
  });
  after(() => server?.stop());

  const ask = (call: Call | string): Promise<Answer> =>
    call1(Number(new URL(server.url).port), { identity: admin, ...(typeof call === 'string' ? { path: call } : call) });
  /** Values by labels; for histograms, of their counts. */
  const shown = async (name: string): Promise<Readonly<Record<string, number>>> => {
    const { text } = await ask('/metrics');
    const lines = text.matchAll(new RegExp(`^${name}(?:_count)?(?:\\{([^}]*)\\})? (\\S+)$`, 'gm'));
    return Object.fromEntries([...lines].map(([, labels = '', value]) => [labels, Number(value)]));
  };
  /** How much each series of a metric grows while something is done. Gauges may fall. */
  const growth = async (name: string, done: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> => {
    const before = await shown(name);
    await done();
    const changes = Object.entries(await shown(name)).map(([labels, value]) => [labels, value - (before[labels] ?? 0)] as const);
    return Object.fromEntries(changes.filter(([, change]) => change !== 0));
  };

  it('audit events', async () => {
    expect((await growth('apiserver_audit_event_total', () => ask('/api/v1/namespaces')))['']).to.be.greaterThanOrEqual(2);
    expect(await shown('apiserver_audit_requests_rejected_total')).to.deep.equal({ '': 0 });
  });
});
