import { expect } from 'chai';
import { Worker } from 'node:worker_threads';
import { createBuilder } from '../../../../server/openapi/builder.js';

const source = { groups: [], answersObject: new Set<string>() };
const form = { version: 3, encoding: 'json' } as const;
const made = new Map([['api', { hash: 'H', gzip: new Uint8Array([1]) }]]);

const lost = 'process.exit(7)';
const failed = "throw new Error('no such type')";

/** Threads: the first `failures` run `code`, and the others return `made`. */
function threads(failures: number, code: string): { readonly start: () => Worker; readonly started: () => number } {
  let started = 0;
  const parts = "const { parentPort, workerData } = require('node:worker_threads');";
  return {
    start: () => {
      const rest = started++ < failures ? code : 'parentPort.postMessage(workerData)';
      return new Worker(`${parts} ${rest};`, { eval: true, workerData: made });
    },
    started: () => started,
  };
}

describe('openapi/builder', () => {
  it('makes documents again whose thread was lost', async () => {
    const { start, started } = threads(2, lost);
    expect(await createBuilder(start).build(source, form)).to.deep.equal(made);
    expect(started()).to.equal(3);
  });

  it('gives up after three threads, with the error of the last', async () => {
    const { start, started } = threads(9, lost);
    const failure = await createBuilder(start)
      .build(source, form)
      .catch((error: unknown) => error);
    expect(failure)
      .to.be.instanceOf(Error)
      .and.have.property('message')
      .match(/ended with code 7 before it was done/);
    expect(started()).to.equal(3);
  });

  it('tries no task again that fails itself', async () => {
    const { start, started } = threads(9, failed);
    const failure = await createBuilder(start)
      .build(source, form)
      .catch((error: unknown) => error);
    expect(failure).to.have.property('message', 'no such type');
    expect(started()).to.equal(1);
  });

  it('makes a document of another program once only', async () => {
    const { start, started } = threads(9, lost);
    const failure = await createBuilder(start)
      .show({ gzip: new Uint8Array(), encoding: 'json' } as never)
      .catch((error: unknown) => error);
    expect(failure)
      .to.have.property('message')
      .match(/ended with code 7/);
    expect(started()).to.equal(1);
  });
});
