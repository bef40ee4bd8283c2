import { expect } from 'chai';
import fs from 'node:fs';
import { hasEtcd, startEtcd, type EtcdServers } from '../../fixtures/etcdServers.js';
import { createIdentities, type Identities } from '../../fixtures/identities.js';
import { eventually } from './bundledProgram.js';
import { endedByProgram, lingering } from './lingering.js';
import { probesOf } from './probed.js';
import { ServerUnderProbe } from './serverUnderProbe.js';

const probe = probesOf('apiserver');
const maps = '/api/v1/namespaces/default/configmaps';
const secrets = '/api/v1/namespaces/default/secrets';

/** Storage options of an API server. */
export function stores(): void {
  describe('an API server that keeps nothing', function () {
    let server: ServerUnderProbe;
    after(() => server?.stop());

    probe('storage-backend', async () => {
      const identities = await createIdentities();
      const args = ['--storage-backend=memory', '--permit-address-sharing'];
      server = await ServerUnderProbe.start(identities, args);
      expect((await server.post(maps, { metadata: { name: 'kept' } })).status).to.equal(201);
      const { port, directory } = server;
      await endedByProgram(port);
      await server.stop();
      expect(fs.existsSync(server.file('data')), 'nothing on disk').to.equal(false);
      if (process.platform === 'linux') expect(lingering(port), 'connections that are not forgotten yet').to.be.above(0);
      server = await ServerUnderProbe.start(identities, [...args, `--secure-port=${port}`], { directory });
      expect((await server.ask(`${maps}/kept`)).status).to.equal(404);
    });
  });

  describe('API servers over an etcd', function () {
    let etcd: EtcdServers | null = null;
    let some: ServerUnderProbe;
    let none: ServerUnderProbe;

    before(async function () {
      if (!hasEtcd()) this.skip();
      const identities: Identities = await createIdentities();
      etcd = await startEtcd();
      const start = (...args: string[]): Promise<ServerUnderProbe> =>
        ServerUnderProbe.start(identities, [`--etcd-servers=${etcd!.urls.join()}`, '--endpoint-reconciler-type=none', ...args]);
      some = await start('--etcd-prefix=/some', '--watch-cache-sizes=configmaps#0', '--event-ttl=1h', '--lease-reuse-duration-seconds=1');
      none = await start('--etcd-prefix=/none', '--watch-cache=false');
    });
    after(async () => {
      await Promise.all([some?.stop(), none?.stop()]);
      await etcd?.stop();
    });

    const counted = async (name: string): Promise<number> => {
      const text = await (await fetch(`${etcd!.urls[0]}/metrics`)).text();
      return text
        .split('\n')
        .filter((line) => line.startsWith(name))
        .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    };
    /** Reads of the etcd during this many lists. */
    const readsFor = async (server: ServerUnderProbe, at: string, times: number): Promise<number> => {
      const reads = (): Promise<number> => counted('etcd_mvcc_range_total');
      const before = await reads();
      for (let n = 0; n < times; n++) expect((await server.ask(`${at}?resourceVersion=0`)).status).to.equal(200);
      return (await reads()) - before;
    };

    probe('watch-cache', async () => {
      const times = 40;
      expect(await readsFor(some, secrets, times), 'in memory').to.be.below(times);
      expect(await readsFor(some, maps, times), 'of size 0').to.be.at.least(times);
      expect(await readsFor(none, secrets, times), 'no cache at all').to.be.at.least(times);
    });
    probe('lease-reuse-duration-seconds', async () => {
      const leases = (): Promise<number> => counted('etcd_debugging_lease_granted_total');
      const before = await leases();
      let posted = 0;
      const after = await eventually(
        async () => {
          const made = await some.post('/api/v1/namespaces/default/events', {
            metadata: { name: `e-${++posted}` },
            involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
            reason: 'R',
            message: 'm',
            type: 'Normal',
          });
          expect(made.status, made.text).to.equal(201);
          return leases();
        },
        (count) => count >= before + 3,
      );
      expect(after - before).to.be.below(posted);
    });
  });
}
