import { expect } from 'chai';
import { revision } from '../../../../raft/types.js';
import type { StoreEngine, WriteOutcome } from '../../../../server/storage/engine.js';
import { KeySpace } from '../../../../server/storage/keys.js';
import { MeasuredEngine } from '../../../../server/storage/measured.js';

describe('the times of a store', () => {
  it('are counted by operation and resource, and whether it could do what was asked', async () => {
    let outcome: WriteOutcome = { outcome: 'applied', revision: revision(2) };
    const engine = {
      write: () => Promise.resolve(outcome),
      range: () => Promise.resolve({ outcome: 'found', revision: revision(2), items: [], remaining: 0 }),
    } as unknown as StoreEngine;
    const reported: string[] = [];
    const measured = new MeasuredEngine(engine, new KeySpace('/registry'), (operation, { group, resource }, { seconds, failed }) => {
      expect(seconds).to.be.at.least(0);
      reported.push(`${operation} ${resource}.${group}${failed ? ' failed' : ''}`);
    });
    const key = '/registry/apps/deployments/n/a';
    const write = (modRevision: number, operation: object): Promise<WriteOutcome> =>
      measured.write(
        { comparisons: [{ key, modRevision: revision(modRevision) }], operations: [{ key, ...operation } as never] },
        { timeoutMs: 1 },
      );
    await write(0, { type: 'put', value: Buffer.from('x') });
    await write(1, { type: 'put', value: Buffer.from('y') });
    await write(2, { type: 'delete' });
    outcome = { outcome: 'unavailable', reason: 'away' };
    await write(2, { type: 'delete' });
    await measured.range({ start: key, end: `${key}\0`, revision: null, limit: 1 });
    await measured.range({ start: '/registry/core/pods/', end: '/registry/core/pods0', revision: null, limit: null });
    await measured.range({ start: '/registry/', end: '/registry0', revision: null, limit: null });
    expect(reported).to.deep.equal([
      'create deployments.apps',
      'update deployments.apps',
      'delete deployments.apps',
      'delete deployments.apps failed',
      'get deployments.apps',
      'list pods.',
    ]);
  });
});
