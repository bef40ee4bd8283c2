import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import { ClusterUnderTest } from './clusterUnderTest.js';
import { activeManager, Rollout } from './rollout.js';

const replicas = 50;
/** A quarter, rounded up and down as in the reference. */
const most = replicas + 13;
const least = replicas - 12;
/** Shorter than the default of fifteen seconds, and with a higher request rate. */
const leaseMs = 6_000;
const quickManagers = [
  '--kube-api-qps=60',
  '--kube-api-burst=60',
  `--leader-elect-lease-duration=${leaseMs}ms`,
  '--leader-elect-renew-deadline=5s',
  '--leader-elect-retry-period=1s',
];
const before = 'before';
const after = 'after';
const pollMs = 20;
const leasePath = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';

interface Held {
  readonly spec: { readonly holderIdentity?: string; readonly leaseTransitions: number };
}

describe('cluster/managers', function () {
  this.timeout(180_000);
  let test: ClusterUnderTest;
  let rollout: Rollout;
  const start = async (options: Parameters<typeof ClusterUnderTest.start>[0]): Promise<void> => {
    test = await ClusterUnderTest.start({ managers: 2, fakeNodes: 2, managerFlags: quickManagers, ...options });
    rollout = new Rollout(test.cluster, 'rollout');
  };
  afterEach(async () => {
    await rollout?.stop();
    await test?.stop();
  });

  /** Some of the new pods exist, but not all. */
  const middle = async (): Promise<void> => {
    while (rollout.podsOf(after).length < 10) await delay(pollMs);
  };

  function expectBounds(): void {
    const extremes = {
      active: Math.max(...rollout.moments.map(({ active }) => active)),
      ordered: Math.max(...rollout.moments.map(({ ordered }) => ordered)),
      available: Math.min(...rollout.moments.map(({ available }) => available)),
    };
    process.stdout.write(
      `      ${rollout.moments.length} moments: at most ${extremes.active} pods (${extremes.ordered} ordered), at least ${extremes.available} available\n`,
    );
    expect(extremes.ordered).to.be.at.most(most);
    expect(extremes.active).to.be.at.most(most);
    expect(extremes.available).to.be.at.least(least);
  }

  it('finish a rollout when the active one is killed in the middle of it', async () => {
    await start({ replicas: 3 });
    await rollout.create(replicas, before);
    const active = await activeManager(test.cluster);
    await rollout.change(after);
    await middle();
    await active.kill('SIGKILL');
    expect(rollout.podsOf(after).length).to.be.below(replicas);
    await rollout.finished(after);
    expect((await activeManager(test.cluster)).spec.name).not.to.equal(active.spec.name);
    expectBounds();
  });

  it('finish it also when the leader of the servers is killed at the same moment', async () => {
    await start({ replicas: 3 });
    await rollout.create(replicas, before);
    const active = await activeManager(test.cluster);
    const leader = await test.leader();
    await rollout.change(after);
    await middle();
    await Promise.all([active.kill('SIGKILL'), test.kill(leader)]);
    expect(rollout.podsOf(after).length).to.be.below(replicas);
    await rollout.finished(after);
    expectBounds();
  });

  it('write nothing any more once their lease has passed, when they were stopped for a while', async () => {
    const folder = temporaryDirectory('managers');
    const log = path.join(folder, 'audit.log');
    const policy = path.join(folder, 'policy.json');
    const writes = { level: 'Metadata', verbs: ['create', 'update', 'patch', 'delete'], omitStages: ['RequestReceived'] };
    fs.writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [writes, { level: 'None' }] }));
    await start({ replicas: 1, apiserverFlags: ['--audit-policy-file', policy, '--audit-log-path', log] });
    await rollout.create(replicas, before);
    const active = await activeManager(test.cluster);
    await rollout.change(after);
    await middle();
    active.pause();
    const paused = Date.now();
    const lease = await test.client.expect(
      200,
      'GET',
      '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager',
    );
    // Managers use their own tokens; only this one had any so far.
    const own = new Set(entries(log).flatMap(({ credential }) => (credential.startsWith('JTI=') ? [credential] : [])));
    expect(own.size).to.be.above(0);
    const done = rollout.finished(after);
    // The other begins when the lease has not changed for its duration.
    while ((await activeOther(active.spec.name)) === null) await delay(pollMs);
    expect(Date.now() - Date.parse((lease as unknown as { readonly spec: { readonly renewTime: string } }).spec.renewTime)).to.be.at.least(
      leaseMs,
    );
    active.resume();
    const { code } = await active.ended;
    expect(code, 'it ends, because another may lead').to.equal(1);
    await done;
    expectBounds();
    const late = entries(log).filter(({ credential, at }) => own.has(credential) && at > paused + leaseMs);
    expect(late).to.deep.equal([]);
    expect(entries(log).some(({ credential, at }) => credential.startsWith('JTI=') && !own.has(credential) && at > paused)).to.equal(true);
  });

  const activeOther = async (name: string): Promise<string | null> => {
    const { spec } = await held();
    const other = test.cluster.managers.find((manager) => manager.spec.name !== name);
    return other && spec.holderIdentity && fs.readFileSync(other.spec.log, 'utf8').includes('this manager leads')
      ? spec.holderIdentity
      : null;
  };
  const held = async (): Promise<Held> => (await test.client.expect(200, 'GET', `${leasePath}/kube-controller-manager`)) as unknown as Held;

  it('give the lease back when they are stopped, and the next one takes it free', async () => {
    await start({ replicas: 1, fakeNodes: 0 });
    const active = await activeManager(test.cluster);
    const { spec } = await held();
    const leases = test.client.watch(`${leasePath}?watch=1&fieldSelector=metadata.name%3Dkube-controller-manager`);
    const holders = (): string[] => leases.events.map(({ object }) => (object as unknown as Held).spec.holderIdentity ?? '');
    await leases.until((events) => events.length > 0);
    await active.stop(10_000);
    while ((await activeManager(test.cluster)).spec.name === active.spec.name) await delay(pollMs);
    await leases.until(() => holders().at(-1) !== spec.holderIdentity && holders().at(-1) !== '');
    leases.close();
    // The lease is released, so the next manager need not wait for its end.
    expect([...new Set(holders())]).to.deep.equal([spec.holderIdentity, '', (await held()).spec.holderIdentity]);
    const next = await held();
    expect(next.spec.holderIdentity).not.to.equal(spec.holderIdentity);
    expect(next.spec.leaseTransitions).to.equal(1);
  });
});

interface Entry {
  readonly at: number;
  readonly verb: string;
  readonly uri: string;
  readonly credential: string;
}

/** The writes in an audit log with their users. */
function entries(file: string): readonly Entry[] {
  return fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => {
      const event = JSON.parse(line) as {
        requestReceivedTimestamp: string;
        verb: string;
        requestURI: string;
        user?: { extra?: Record<string, readonly string[]> };
      };
      return {
        at: Date.parse(event.requestReceivedTimestamp),
        verb: event.verb,
        uri: event.requestURI,
        credential: event.user?.extra?.['authentication.kubernetes.io/credential-id']?.[0] ?? '',
      };
    });
}
