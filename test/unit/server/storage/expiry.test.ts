import { expect } from 'chai';
import fc from 'fast-check';
import { Expiry } from '../../../../server/storage/expiry.js';
import { createMemoryStorage } from '../../../../server/storage/memory.js';
import type { Storage } from '../../../../server/storage/contract.js';
import type { ApiObject } from '../../../../api/object.js';

const events = { group: '', resource: 'events' };
const terms = { timeoutMs: 60_000 };
const ttlMs = 60_000;
const started = Date.UTC(2026, 0, 1);

describe('objects that are kept for a while', () => {
  let storage: Storage;
  let elapsed: number;
  let leads: boolean;
  let running: Expiry[];
  const clock = { elapsed: () => elapsed, now: () => started + elapsed };
  const key = (name: string): { resource: typeof events; namespace: string; name: string } => ({
    resource: events,
    namespace: 'default',
    name,
  });
  const event = (name: string, metadata: object = {}): ApiObject => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: 'default', ...metadata },
  });
  const expiry = (
    report: (error: unknown) => void = (error) => {
      throw error;
    },
    sharedMs = 0,
  ): Expiry => {
    const made = new Expiry({ storage, resource: events, ttlMs, sharedMs, leads: () => Promise.resolve(leads), clock, report });
    running.push(made);
    return made;
  };
  const names = async (): Promise<string[]> => {
    const found = await storage.list({
      resource: events,
      namespace: null,
      labels: [],
      fields: [],
      consistency: { at: 'mostRecent' },
      limit: null,
      after: null,
    });
    if (found.outcome !== 'found') throw new Error(found.outcome);
    return found.items.map(({ name }) => name).sort();
  };
  const write = async (name: string): Promise<void> => {
    const found = await storage.get(key(name), { at: 'mostRecent' });
    if (found.outcome === 'found')
      await storage.update(key(name), event(name, { labels: { at: String(elapsed) } }), found.object.version, terms);
    else await storage.create(key(name), event(name, { labels: { at: String(elapsed) } }), terms);
  };

  it('go together when they were written together (--lease-reuse-duration-seconds), a twentieth of their time later at most', async () => {
    const made = expiry(undefined, 1_000_000);
    await made.turn();
    for (const name of ['a', 'b', 'c']) {
      await write(name);
      elapsed += 1_000;
    }
    await write('d');
    const begun = elapsed - 3_000;
    elapsed = begun + ttlMs + ttlMs / 20 - 1;
    await made.turn();
    expect(await names()).to.deep.equal(['a', 'b', 'c', 'd']);
    elapsed += 1;
    await made.turn();
    expect(await names(), 'those of the same three seconds').to.deep.equal([]);
  });

  beforeEach(() => {
    storage = createMemoryStorage({ selectableFields: () => null });
    [elapsed, leads, running] = [1_000_000, true, []];
  });
  afterEach(() => {
    for (const each of running) each.stop();
  });

  it('are there for as long after their last write as they are kept, whatever is written in between', async () => {
    const step = fc.oneof(
      fc.constantFrom('a', 'b', 'c', 'd').map((name) => ({ name, ms: 0 })),
      fc.integer({ min: 1, max: ttlMs }).map((ms) => ({ name: '', ms })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        storage = createMemoryStorage({ selectableFields: () => null });
        const kept = expiry();
        const model = new Map<string, number>();
        for (const { name, ms } of steps) {
          elapsed += ms;
          if (name !== '') {
            await write(name);
            model.set(name, elapsed);
          }
          await kept.turn();
          for (const [each, at] of model) if (elapsed - at >= ttlMs) model.delete(each);
          expect(await names()).to.deep.equal([...model.keys()].sort());
        }
        kept.stop();
      }),
      { numRuns: 50 },
    );
  });

  it('that were there before have the age that they tell', async () => {
    const ago = (ms: number): string => new Date(clock.now() - ms).toISOString().replace(/\.\d+Z$/, 'Z');
    await storage.create(key('old'), event('old', { creationTimestamp: ago(ttlMs + 1_000) }), terms);
    await storage.create(
      key('touched'),
      event('touched', {
        creationTimestamp: ago(ttlMs * 5),
        managedFields: [
          { manager: 'm', time: ago(30_000) },
          { manager: 'n', time: ago(ttlMs) },
        ],
      }),
      terms,
    );
    await storage.create(key('from-the-future'), event('from-the-future', { creationTimestamp: ago(-ttlMs * 5) }), terms);
    await storage.create(key('silent'), event('silent'), terms);
    const kept = expiry();
    await kept.turn();
    expect(await names()).to.deep.equal(['from-the-future', 'silent', 'touched']);
    elapsed += 31_000;
    await kept.turn();
    expect(await names()).to.deep.equal(['from-the-future', 'silent']);
    elapsed += 30_000;
    await kept.turn();
    expect(await names()).to.deep.equal([]);
  });

  it('are removed by the leader alone, and by another one as soon as it leads', async () => {
    await write('a');
    const kept = expiry();
    leads = false;
    await kept.turn();
    elapsed += ttlMs * 2;
    await kept.turn();
    expect(await names()).to.deep.equal(['a']);
    leads = true;
    await kept.turn();
    expect(await names()).to.deep.equal([]);
  });

  it('stay when they cannot be removed, and are tried again', async () => {
    await write('a');
    const failures: unknown[] = [];
    const whole = storage.delete.bind(storage);
    const kept = expiry((error) => {
      failures.push(error);
    });
    await kept.turn();
    storage.delete = () => Promise.reject(new Error('no majority'));
    elapsed += ttlMs;
    await kept.turn();
    expect([await names(), failures.length]).to.deep.equal([['a'], 1]);
    storage.delete = whole;
    await kept.turn();
    expect(await names()).to.deep.equal([]);
  });
});
