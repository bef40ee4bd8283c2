import assert from 'node:assert/strict';
import { isUnderWay } from './quiet.js';

describe('lists at rest', () => {
  const ending = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  const conditions = [{ type: 'NamespaceContentRemaining', status: 'True' }];
  for (const [what, item, expected] of [
    ['a namespace', { kind: 'Namespace', metadata: {}, status: {} }, false],
    ['a namespace whose end nobody has seen', { kind: 'Namespace', metadata: ending, status: { phase: 'Terminating' } }, true],
    ['a namespace that cannot end', { kind: 'Namespace', metadata: ending, status: { conditions } }, false],
    ['an ending pod without a node', { kind: 'Pod', metadata: ending, spec: {}, status: { phase: 'Pending' } }, true],
    ['one that the collector has failed', { kind: 'Pod', metadata: ending, spec: {}, status: { phase: 'Failed' } }, false],
    ['one that waits for its kubelet', { kind: 'Pod', metadata: ending, spec: { nodeName: 'n' }, status: { phase: 'Pending' } }, false],
    ['another kind', { kind: 'Secret', metadata: ending }, false],
  ] as const)
    it(`${expected ? 'wait for' : 'do not wait for'} ${what}`, () => {
      assert.equal(isUnderWay(item), expected);
    });
});
