import { expect } from 'chai';
import type { ApiObject } from '../../../../api/object.js';
import type { Fairness } from '../../../../server/fairness/fairness.js';
import { FollowedObjects } from '../../../../server/fairness/objectsFollowed.js';
import { WritePace, writesMax } from '../../../../server/fairness/writePace.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import { ownWrites } from '../../../../server/registry/ownWrites.js';
import { createRegistry } from '../../../../server/registry/store.js';
import { createRaftStorage } from '../../../../server/storage/raft.js';
import type { Storage } from '../../../../server/storage/contract.js';
import { follow, type Following } from '../../../../server/storage/follow.js';
import { FakeReplica } from '../storage/fakeReplica.js';

describe('writes of objects about which servers disagree', () => {
  it('are at most six of each in any minute', () => {
    const pace = new WritePace();
    const at = (name: string, ...times: number[]): boolean[] => times.map((time) => pace.allows(name, time));
    expect(at('a', 0, 1, 2, 3, 4, 5, 6, 59_999)).to.deep.equal([true, true, true, true, true, true, false, false]);
    expect(at('b', 6)).to.deep.equal([true]);
    // The first one was a minute ago; refused ones do not count.
    expect(at('a', 60_000, 60_000)).to.deep.equal([true, false]);
    pace.keep(new Set(['b']));
    expect(at('a', 60_000)).to.deep.equal([true]);
  });

  it('end for a while: the other one has the last word until the next minute', async () => {
    const storage = createRaftStorage({ replica: new FakeReplica() });
    const registry = createRegistry({ storage });
    const catalogue = createCatalogue();
    const schemas = new Conditions(storage);
    let now = 0;
    const followed = new FollowedObjects({
      fairness: { configure: () => undefined } as unknown as Fairness,
      storage,
      registry,
      catalogue,
      leads: () => Promise.resolve(true),
      now: () => now,
      report: () => undefined,
    });
    const resource = catalogue.resource('flowcontrol.apiserver.k8s.io', 'v1', 'flowschemas');
    if (resource === null) throw new Error('no such resource');
    const options = { ...ownWrites, manager: 'other', timeoutMs: 1_000 };
    const contradict = (): Promise<unknown> =>
      registry.update(
        { resource, namespace: '', name: 'catch-all' },
        { apply: (current) => withStatus(current, 'True'), subresource: 'status', uid: null, mayCreate: null },
        options,
      );
    /** Settles after a pass over all earlier schemas, because new ones come last. */
    const seen = async (name: string): Promise<void> => {
      await registry.create({ resource, namespace: '', name: '' }, schemaNamed(name), options);
      await schemas.until(name, 'True');
    };
    await followed.synced;
    followed.start();
    await schemas.until('catch-all', 'False');
    for (let written = 1; written < writesMax; written++) {
      await contradict();
      await schemas.until('catch-all', 'False');
    }
    await contradict();
    await seen('later');
    expect(schemas.of('catch-all')).to.equal('True');
    now += 60_000;
    await seen('next-minute');
    await schemas.until('catch-all', 'False');
    followed.stop();
    schemas.stop();
    storage.close();
  });
});

/** The status of each schema's only condition. */
class Conditions {
  readonly #statuses = new Map<string, string>();
  readonly #waiting = new Set<() => void>();
  readonly #following: Following;

  constructor(storage: Pick<Storage, 'watch'>) {
    this.#following = follow(
      storage,
      { group: 'flowcontrol.apiserver.k8s.io', resource: 'flowschemas' },
      {
        put: (object) => {
          const { status } = object.decode() as ApiObject & { status?: { conditions?: { status: string }[] } };
          this.#statuses.set(object.name, status?.conditions?.[0]?.status ?? '');
          for (const look of this.#waiting) look();
        },
        remove: () => undefined,
      },
    );
  }

  stop(): void {
    this.#following.stop();
  }

  of(name: string): string | undefined {
    return this.#statuses.get(name);
  }

  until(name: string, status: string): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.of(name) !== status) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }
}

const withStatus = (current: ApiObject | null, status: string): ApiObject =>
  ({
    ...current,
    status: { conditions: [{ type: 'Dangling', status, reason: 'Other', message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
  }) as unknown as ApiObject;

const schemaNamed = (name: string): ApiObject =>
  ({
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    metadata: { name },
    spec: { priorityLevelConfiguration: { name: 'missing' }, matchingPrecedence: 9_000 },
  }) as unknown as ApiObject;
