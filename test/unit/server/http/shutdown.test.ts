import { expect } from 'chai';
import { EventEmitter } from 'node:events';
import type { Request, Response } from '../../../../program/port/message.js';
import type { RequestInfo } from '../../../../api/requestInfo.js';
import { ExchangeList } from '../../../../program/port/connections/exchangeList.js';
import type { Draining } from '../../../../server/http/chain.js';
import { Exchange } from '../../../../server/http/exchange.js';
import { createLogger } from '../../../../program/log/logger.js';
import { drainAndClose, type ShutdownOptions } from '../../../../server/http/shutdown.js';

/** A request that ends when its signal aborts. */
class Held extends Exchange {
  endedAtMs = Number.NaN;
  /** The client is gone or has the whole answer. */
  readonly leave: () => void;

  constructor(verb: 'watch' | 'get', active: ExchangeList<Exchange>) {
    const response = new EventEmitter();
    super(
      new EventEmitter() as unknown as Request,
      response as unknown as Response,
      '',
      { isResource: true, verb, subresource: '' } as unknown as RequestInfo,
      new URLSearchParams(),
    );
    this.leave = () => {
      response.emit('close');
    };
    active.add(this);
    this.onClose(() => {
      active.delete(this);
    });
    this.signal.addEventListener('abort', () => {
      this.endedAtMs = performance.now();
      this.leave();
    });
  }
}

describe('http/shutdown', () => {
  const steps: string[] = [];
  /** One leaves at each check. */
  let connections = 0;
  const drained = (active: ExchangeList<Exchange>, options: Partial<ShutdownOptions>): Promise<void> => {
    steps.length = 0;
    return drainAndClose(
      {
        unusedConnections: 0,
        get connections() {
          if (connections > 0 && --connections === 0) steps.push('all have left');
          return connections;
        },
        announceEnd: () => {
          steps.push('announced');
        },
        drain: () => {
          steps.push('no new connections');
        },
        close: () => {
          steps.push('closed');
          return Promise.resolve();
        },
      },
      {
        handle: () => undefined,
        active,
        drain: (how: Draining) => {
          steps.push(how);
        },
      },
      { delayMs: 0, sendRetryAfter: false, watchGraceMs: 0, requestsMs: 60_000, log: createLogger({ verbosity: 0 }), ...options },
    );
  };

  it('ends watches evenly over their time, not all at its end', async () => {
    // If the process stands still for half of the time, both end together; then the time doubles.
    for (let graceMs = 400; ; graceMs *= 2) {
      const active = new ExchangeList<Exchange>('place');
      const watches = Array.from({ length: 20 }, () => new Held('watch', active));
      const begun = performance.now();
      let [lastRan, longestMs] = [begun, 0];
      const runs = setInterval(() => {
        const now = performance.now();
        longestMs = Math.max(longestMs, now - lastRan);
        lastRan = now;
      }, 1);
      await drained(active, { watchGraceMs: graceMs });
      clearInterval(runs);
      longestMs = Math.max(longestMs, performance.now() - lastRan);
      const ends = watches.map(({ endedAtMs }) => endedAtMs - begun).sort((a, b) => a - b);
      for (const [index, end] of ends.entries())
        expect(end, `watch ${index} ends no sooner than its share of the time allows`).to.be.at.least(
          ((index + 1) * graceMs) / ends.length - 1,
        );
      if (longestMs > graceMs / 2) continue;
      expect(
        new Set(ends.map((end) => Math.floor(end / (graceMs / 4)))).size,
        'quarters of the time in which some ended',
      ).to.be.greaterThan(1);
      return;
    }
  });

  it('waits for none when clients leave by themselves, and ends all at once without a time for it', async () => {
    const active = new ExchangeList<Exchange>('place');
    const watches = Array.from({ length: 3 }, () => new Held('watch', active));
    const stopping = drained(active, { watchGraceMs: 3_600_000 });
    for (const watch of watches) watch.leave();
    await stopping;
    const last = new Held('watch', active);
    await drained(active, {});
    expect(last.signal.aborted).to.equal(true);
  });

  it('ends watches that come while requests are still awaited', async () => {
    const active = new ExchangeList<Exchange>('place');
    const request = new Held('get', active);
    const stopping = drained(active, {});
    // The first watches have ended when a new watch is the only one.
    const first = new Held('watch', active);
    while (!first.signal.aborted) await new Promise((resolve) => setImmediate(resolve));
    const late = new Held('watch', active);
    while (!late.signal.aborted) await new Promise((resolve) => setImmediate(resolve));
    request.leave();
    await stopping;
    expect(steps).to.deep.equal(['no new connections', 'no new connections', 'closed']);
  });

  it('lets clients leave before it cuts their connections', async () => {
    connections = 3;
    await drained(new ExchangeList<Exchange>('place'), {});
    expect(steps).to.deep.equal(['no new connections', 'no new connections', 'all have left', 'closed']);
  });

  it('lets requests end before anything is cut, and keeps connections open for refusals when it is to send them', async () => {
    const active = new ExchangeList<Exchange>('place');
    const request = new Held('get', active);
    const stopping = drained(active, { sendRetryAfter: true });
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    expect(steps).to.deep.equal(['retryAfter']);
    request.leave();
    await stopping;
    expect(request.signal.aborted, 'it was not told to end: its client left').to.equal(true);
    expect(steps).to.deep.equal(['retryAfter', 'no new connections', 'closed']);
  });
});
