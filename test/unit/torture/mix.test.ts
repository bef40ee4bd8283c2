import { expect } from 'chai';
import type { Answer, WatchEvent, WatchStream } from '../../fixtures/apiClient.js';
import { Prng } from '../../simulation/prng.js';
import { TrafficClient } from '../../torture/traffic/client.js';
import { mixPermille } from '../../torture/traffic/mix.js';
import { keysOf } from '../../torture/traffic/place.js';
import { Recorder } from '../../torture/traffic/recorder.js';

/** Counts requests; objects are absent, lists and watches empty. */
class CountingServer {
  readonly counts = { lists: 0, watches: 0, gets: 0, updates: 0, creates: 0, deletes: 0, renewals: 0 };
  #version = 1;

  request(method: string, path: string): Promise<Answer> {
    const lease = path.includes('/leases');
    const list = path.split('?')[0]!.endsWith('/configmaps');
    if (lease) this.counts.renewals++;
    else if (method === 'GET') this.counts[list ? 'lists' : 'gets']++;
    else this.counts[({ PUT: 'updates', POST: 'creates', DELETE: 'deletes' } as const)[method as 'PUT']]++;
    const status = method === 'GET' && !list && !lease ? 404 : 200;
    const body = {
      kind: '',
      apiVersion: '',
      metadata: { name: '', uid: '', resourceVersion: String(++this.#version) },
      items: [],
      spec: { holderIdentity: '' },
    };
    return Promise.resolve({ status, body, headers: {} });
  }

  watch(): WatchStream {
    this.counts.watches++;
    const events: WatchEvent[] = [];
    return { opened: Promise.reject(new Error('not here')), events, ended: null, close: () => undefined } as unknown as WatchStream;
  }
}

describe('torture/mix', function () {
  it('is what clusters see: 80 % reads, mostly lists and watches; of the writes 90 % update, 5 % create, 5 % delete; and renewals of leases', async () => {
    const server = new CountingServer();
    const recorder = new Recorder();
    const client = new TrafficClient({
      name: 'c',
      server,
      pinned: true,
      member: () => 'r1',
      place: { namespace: 'n', keys: keysOf(24) },
      prng: new Prng(1),
      recorder,
      gone: () => Promise.resolve(null),
    });
    const steps = 4_000;
    for (let step = 0; step < steps; step++) await client.step();
    const { lists, watches, gets, updates, creates, deletes, renewals } = server.counts;
    const writes = updates + creates + deletes;
    const reads = lists + watches + gets;
    expect(reads + writes + renewals).to.equal(steps);
    expect(reads / (reads + writes)).to.be.within(0.78, 0.82);
    expect((lists + watches) / reads).to.be.within(0.75, 0.85);
    expect(watches / reads).to.be.within(0.14, 0.21);
    expect(updates / writes).to.be.within(0.86, 0.94);
    expect(creates / writes).to.be.within(0.025, 0.075);
    expect(deletes / writes).to.be.within(0.025, 0.075);
    expect(renewals).to.be.greaterThan(0);
    expect(recorder.findings).to.deep.equal([]);
  });

  it('adds up', () => {
    expect(Object.values(mixPermille).reduce((sum, permille) => sum + permille, 0)).to.equal(1_000);
  });
});
