import assert from 'node:assert/strict';
import { normalised } from './normalise.js';

describe('answers of two servers', () => {
  it('are compared without what each chooses for itself', () => {
    const shown = (end: string, address: string, age: string): object => ({
      spec: { volumes: [{ name: `kube-api-access-${end}` }] },
      rows: [{ cells: ['a', address, age, 3] }],
      message: `does not match the ResourceVersion in record (${age.length})`,
    });
    assert.deepEqual(normalised(shown('abcde', '10.0.0.7', '0s')), normalised(shown('fghij', '10.96.0.1', '1m3s')));
  });

  it('are compared with all else', () => {
    const cells = ['10', 'a 10.0.0.7', '<none>', '5d'];
    assert.deepEqual(normalised({ cells, clusterIP: '10.0.0.7', names: ['0s'] }), { cells, clusterIP: '10.0.0.7', names: ['0s'] });
  });
});
