import { expect } from 'chai';
import { failureOf, type FailureKind } from '../../../../../server/storage/etcd/failure.js';

/** Texts and codes of etcd's errors (its package `rpctypes`), and of gRPC. */
const table: readonly (readonly [code: number, text: string, kind: FailureKind])[] = [
  [3, 'etcdserver: request is too large', 'refused'],
  [8, 'trying to send message larger than max (2097501 vs. 2097152)', 'refused'],
  [8, 'etcdserver: mvcc: database space exceeded', 'refused'],
  [8, 'etcdserver: too many requests', 'unavailable'],
  [11, 'etcdserver: mvcc: required revision has been compacted', 'compacted'],
  [11, 'etcdserver: mvcc: required revision is a future revision', 'future'],
  [5, 'etcdserver: requested lease not found', 'refused'],
  [3, 'etcdserver: duplicate key given in txn request', 'refused'],
  [3, 'etcdserver: too many operations in txn request', 'refused'],
  [3, 'etcdserver: user name is empty', 'refused'],
  [7, 'etcdserver: permission denied', 'refused'],
  [16, 'etcdserver: invalid auth token', 'refused'],
  [9, 'etcdserver: authentication is not enabled', 'refused'],
  [14, 'etcdserver: no leader', 'unavailable'],
  [14, 'No connection established. Last error: connect ECONNREFUSED 127.0.0.1:2379', 'unavailable'],
  // Proposed, with unknown outcome.
  [14, 'etcdserver: leader changed', 'unknown'],
  [14, 'etcdserver: request timed out', 'unknown'],
  [14, 'etcdserver: request timed out, possibly due to previous leader failure', 'unknown'],
  [14, 'etcdserver: request timed out, possibly due to connection lost', 'unknown'],
  [14, 'etcdserver: server stopped', 'unknown'],
  [14, 'etcdserver: unhealthy cluster', 'unknown'],
  [14, 'Connection dropped', 'unknown'],
  [14, 'read ECONNRESET', 'unknown'],
  [4, 'Deadline exceeded', 'unknown'],
  [1, 'Cancelled on client', 'unknown'],
  [13, 'Received RST_STREAM with code 2', 'unknown'],
  [15, 'etcdserver: corrupt cluster', 'unknown'],
];

describe('failures of etcd', () => {
  for (const [code, details, kind] of table) {
    it(`${kind}: ${details}`, () => {
      const failure = failureOf(Object.assign(new Error(`${code} X: ${details}`), { code, details }));
      expect(failure.kind).to.equal(kind);
    });
  }

  it('are their own failures when they are looked at again', () => {
    const first = failureOf(new Error('x'));
    expect(failureOf(first)).to.equal(first);
    expect(first.kind).to.equal('unknown');
  });
});
