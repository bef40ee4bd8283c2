import { expect } from 'chai';
import net from 'node:net';
import { findFreePorts, portRange } from '../../../deploy/ports.js';

/** A deterministic random source that restarts for each caller. */
function sameNumbers(): () => number {
  let next = 0;
  return () => (next++ % 100) / 100;
}

/** Listens on the first free port from `port` on. */
async function listen(port: number): Promise<[number, net.Server]> {
  const server = net.createServer();
  const opened = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  return opened ? [port, server] : listen(port + 1);
}

describe('ports', () => {
  it('are found once in a process, though nobody listens on them yet', async () => {
    const [first, second, third] = await Promise.all([1, 2, 3].map(() => findFreePorts(4, sameNumbers())));
    const all = [...(first ?? []), ...(second ?? []), ...(third ?? [])];
    expect(new Set(all).size).to.equal(12);
  });

  it('are none that somebody listens on', async () => {
    const { first, last } = portRange();
    const [taken, server] = await listen(first + 1_000);
    const at = (port: number): number => (port - first + 0.5) / (last - first + 1);
    const asked: number[] = [];
    const [other] = await findFreePorts(1, () => at(taken + asked.push(0) - 1));
    expect(asked).to.have.length.above(1);
    expect(other).to.be.above(taken);
    await new Promise((resolve) => server.close(resolve));
  });

  it('are of the range that is named, and a range that is none is refused', () => {
    expect(portRange('')).to.deep.equal({ first: 15_000, last: 31_999 });
    expect(portRange('20000-20999')).to.deep.equal({ first: 20_000, last: 20_999 });
    for (const wrong of ['20000', '9-8', '0-5', '1-70000', 'a-b']) expect(() => portRange(wrong), wrong).to.throw(/FIRST-LAST/);
  });

  it('are reported as too few when there are no others', async () => {
    const only = (): number => 0.999;
    await findFreePorts(1, only).catch(() => undefined);
    const error = await findFreePorts(1, only).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).to.be.an('error').with.property('message').that.contains('found only 0 of 1 free ports');
  });
});
