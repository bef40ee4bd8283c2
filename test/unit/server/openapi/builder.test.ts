import { expect } from 'chai';
import { Worker } from 'node:worker_threads';
import { createBuilder } from '../../../../server/openapi/builder.js';

const source = { groups: [], answersObject: new Set<string>() };
const form = { version: 3, encoding: 'json' } as const;
const made = new Map([['api', { hash: 'H', gzip: new Uint8Array([1]) }]]);

/** Threads of which the first `failures` throw, and the others return `made`. */
function threads(failures: number): { readonly start: () => Worker; readonly started: () => number } {
  let started = 0;
  const code = "const { parentPort, workerData } = require('node:worker_threads');";
  return {
    start: () => {
      const rest = started++ < failures ? "throw new Error('no memory')" : 'parentPort.postMessage(workerData)';
      return new Worker(`${code} ${rest};`, { eval: true, workerData: made });
    },
    started: () => started,
  };
}

describe('openapi/builder', () => {
  it('makes documents again whose thread has failed', async () => {
    const { start, started } = threads(2);
    expect(await createBuilder(start).build(source, form)).to.deep.equal(made);
    expect(started()).to.equal(3);
  });

  it('gives up after three threads, with the error of the last', async () => {
    const { start, started } = threads(9);
    const failure = await createBuilder(start)
      .build(source, form)
      .catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error).and.have.property('message', 'no memory');
    expect(started()).to.equal(3);
  });

  it('makes a document of another program once only', async () => {
    const { start, started } = threads(9);
    const failure = await createBuilder(start)
      .show({ gzip: new Uint8Array(), encoding: 'json' } as never)
      .catch((error: unknown) => error);
    expect(failure).to.have.property('message', 'no memory');
    expect(started()).to.equal(1);
  });
});
