import { expect } from 'chai';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { RepeatedProbe } from '../../../deploy/readiness.js';
import { localServingCertificate, TlsBackend } from '../../fixtures/tlsBackends.js';

describe('deploy/readiness, a probe that is repeated', () => {
  let backend: TlsBackend;
  let probe: RepeatedProbe;

  beforeEach(async () => {
    const { ca, pair } = await localServingCertificate();
    backend = await TlsBackend.start('a', pair);
    probe = new RepeatedProbe({ host: '127.0.0.1', port: backend.port, timeoutMs: 10_000, ca });
  });
  afterEach(async () => {
    probe.close();
    await backend.die().catch(() => undefined);
  });

  const ask = async (times: number): Promise<string[]> => {
    const states: string[] = [];
    for (let left = times; left > 0; left -= 1) states.push((await probe.ask()).state);
    return [...new Set(states)];
  };

  it('keeps its connection for a while, and tries a new one again and again', async () => {
    expect(await ask(10)).to.deep.equal(['ready']);
    expect(backend.connections).to.equal(1);
    expect(await ask(11)).to.deep.equal(['ready']);
    expect(backend.connections).to.equal(3);
  });

  it('believes no broken connection before a new one has failed', async () => {
    await ask(1);
    await backend.die();
    await backend.listen();
    expect(await ask(1)).to.deep.equal(['ready']);
    expect(backend.connections).to.equal(2);
    await backend.die();
    expect(await ask(1)).to.deep.equal(['silent']);
  });

  it('counts an answer that came in time to a process that was late itself', async () => {
    const { ca, pair } = await localServingCertificate();
    const answers = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(
      `const { parentPort, workerData } = require('node:worker_threads');
      const { pair, answers } = workerData;
      const server = require('node:https').createServer({ cert: pair.certificate, key: pair.key }, (_request, response) => response.end('ok', () => {
        Atomics.add(answers, 0, 1);
        Atomics.notify(answers, 0);
      }));
      server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
      { eval: true, workerData: { pair, answers } },
    );
    const [port] = (await once(worker, 'message')) as [number];
    const settings = { host: '127.0.0.1', port, timeoutMs: 60_000, ca };
    const late = new RepeatedProbe(settings);
    expect(await late.ask()).to.deep.equal({ state: 'ready' });
    Atomics.wait(answers, 0, 0);
    settings.timeoutMs = 1;
    const answer = late.ask();
    // Lets the request leave before any timer.
    for (let tick = 0; tick < 3; tick++) await new Promise<void>((resolve) => process.nextTick(resolve));
    Atomics.wait(answers, 0, 1);
    for (const sentAt = performance.now(); performance.now() < sentAt + 2;);
    expect(await answer).to.deep.equal({ state: 'ready' });
    late.close();
    await worker.terminate();
  });

  it('keeps no connection on which it was told to go away', async () => {
    await ask(1);
    backend.ready = false;
    expect(await probe.ask()).to.deep.equal({ state: 'unready', status: 503, body: 'not ready' });
    expect(await ask(2)).to.deep.equal(['unready']);
    expect(backend.connections).to.equal(3);
    backend.ready = true;
    expect(await ask(2)).to.deep.equal(['ready']);
    expect(backend.connections).to.equal(4);
  });
});
