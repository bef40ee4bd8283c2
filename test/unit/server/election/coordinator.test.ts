import { expect } from 'chai';
import { forbidden } from '../../../../api/status.js';
import { Coordinator } from '../../../../server/election/coordinator.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import type { Registry } from '../../../../server/registry/contract.js';
import { createSample, type Sample } from '../registry/sample.js';

const leases = { group: 'coordination.k8s.io', resource: 'leases' };

describe('the coordinator of elections', () => {
  let sample: Sample;
  let elapsed = 0;
  const begun: string[] = [];
  const problems: unknown[] = [];
  const barred = new Set<string>();

  beforeEach(async () => {
    for (const list of [begun, problems]) list.length = 0;
    barred.clear();
    sample = await createSample();
  });
  afterEach(() => {
    expect(problems).to.deep.equal([]);
  });

  const server = (identity: string): Coordinator => {
    const { registry } = sample;
    const update: Registry['update'] = async (target, change, options) => {
      const keeps = await registry.get(target, { at: 'mostRecent' }).then((stored) => change.apply(stored.decode()));
      if (barred.has(String((keeps['spec'] as { holderIdentity?: string }).holderIdentity))) throw forbidden(leases, target.name, 'policy');
      return registry.update(target, change, options);
    };
    return new Coordinator({
      registry: { get: registry.get.bind(registry), create: registry.create.bind(registry), update },
      catalogue: createCatalogue({ serves: () => true }),
      identity,
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2_000,
      clock: { now: () => Date.parse('2030-01-01T00:00:00Z') + elapsed, elapsed: () => elapsed },
      began: () => begun.push(identity),
      report: (what, error) => problems.push(what, error),
    });
  };
  const spec = async (): Promise<unknown> => {
    const found = await sample.storage.get(
      { resource: leases, namespace: 'kube-system', name: 'leader-election-controller' },
      { at: 'mostRecent' },
    );
    return found.outcome === 'found' ? found.object.decode()['spec'] : found.outcome;
  };
  const turns = async (...servers: Coordinator[]): Promise<boolean[]> => {
    for (const each of servers) await each.turn();
    return servers.map(({ coordinates }) => coordinates);
  };

  it('is one server, and another when its lease is not renewed', async () => {
    const [a, b] = [server('a'), server('b')];
    expect(await turns(a, b)).to.deep.equal([true, false]);
    expect(await spec()).to.deep.include({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 });
    elapsed += 9_000;
    expect(await turns(a, b)).to.deep.equal([true, false]);
    elapsed += 14_000;
    expect(await turns(b)).to.deep.equal([false]);
    expect(a.coordinates).to.equal(false);
    elapsed += 1_000;
    expect(await turns(b, a)).to.deep.equal([true, false]);
    expect(await spec()).to.deep.include({ holderIdentity: 'b', leaseTransitions: 1 });
    expect(begun).to.deep.equal(['a', 'b']);
  });

  it('gives the lease back when it may not renew it, and when it stops', async () => {
    const [a, b] = [server('a'), server('b')];
    await turns(a, b);
    barred.add('a');
    elapsed += 9_000;
    expect(await turns(a, b)).to.deep.equal([true, false]);
    elapsed += 1_000;
    expect(await turns(a, b)).to.deep.equal([false, true]);
    await b.stop();
    expect(await spec()).to.deep.include({ holderIdentity: '', leaseDurationSeconds: 1 });
    barred.clear();
    expect(await turns(a)).to.deep.equal([true]);
  });
});
