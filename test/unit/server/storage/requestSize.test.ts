import { expect } from 'chai';
import fc from 'fast-check';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { selectableFieldsOf } from '../../../../server/kinds/index.js';
import { createRaftStorage, type RaftStorage } from '../../../../server/storage/raft.js';
import { txn } from '../../../../server/storage/etcd/messages.js';
import { isTooLarge, sizeRefusal } from '../../../../server/storage/requestSize.js';
import { revision } from '../../../../raft/types.js';
import { createSample, refusal, type Sample } from '../registry/sample.js';
import { FakeReplica } from './fakeReplica.js';

const mebibyte = 1 << 20;
const revisionOf = (name: string, bytes: number): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { name },
  revision: 1,
  data: { d: 'x'.repeat(bytes) },
});

describe('the size of a request to the store', () => {
  let storage: RaftStorage;
  let sample: Sample;

  beforeEach(async () => {
    storage = createRaftStorage({ replica: new FakeReplica(), selectableFields: selectableFieldsOf });
    await storage.ready();
    sample = await createSample({ storage });
  });
  afterEach(() => {
    storage.close();
  });

  it('is that of the message to etcd', () => {
    const key = fc.string({ minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(key, fc.nat()), { maxLength: 3 }),
        fc.array(fc.tuple(key, fc.option(fc.nat(300))), { maxLength: 4 }),
        (compared, changed) => {
          const comparisons = compared.map(([name, at]) => ({ key: name, modRevision: revision(at) }));
          // More than any limit, so that the refusal contains the size.
          const large = { type: 'put' as const, key: 'large', value: Buffer.alloc(3 * mebibyte) };
          const operations = [
            large,
            ...changed.map(([name, bytes]) =>
              bytes === null ? { type: 'delete' as const, key: name } : { type: 'put' as const, key: name, value: Buffer.alloc(bytes, 1) },
            ),
          ];
          const reported = /max \((\d+) vs\. 2097152\)$/.exec(sizeRefusal(comparisons, operations, Infinity) ?? '')?.[1];
          const message = txn.question.encode({
            compare: comparisons.map((each) => ({ result: 0, target: 2, ...each })),
            success: operations.map((each) =>
              each.type === 'put' ? { put: { key: each.key, value: each.value } } : { deleteRange: { key: each.key } },
            ),
            failure: [],
          });
          // Clients may omit zero fields.
          expect(message.length - Number(reported)).to.be.within(-4 * (comparisons.length + operations.length), 4 * comparisons.length);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('is bounded in every store, with what the reference answers', async () => {
    await sample.create(revisionOf('fits', 1.4 * mebibyte));
    const large = await refusal(sample.create(revisionOf('large', 1.6 * mebibyte)));
    expect([large.code, large.reason, large.message]).to.deep.equal([500, '', 'etcdserver: request is too large']);
    const larger = await refusal(sample.create(revisionOf('larger', 2 * mebibyte)));
    expect([larger.code, larger.reason]).to.deep.equal([500, '']);
    expect(larger.message).to.match(
      /^rpc error: code = ResourceExhausted desc = trying to send message larger than max \(209\d{4} vs\. 2097152\)$/,
    );
    const grown = await refusal(
      sample.update(revisionOf('fits', 0), (object) => {
        object.metadata.annotations = { a: 'x'.repeat(200_000) };
      }),
    );
    expect(grown.message).to.equal('etcdserver: request is too large');
  });

  it('is kept by giving up the record of owners, if that is enough', async () => {
    const data = Object.fromEntries(Array.from({ length: 80_000 }, (_, n) => [`k${String(n).padStart(5, '0')}`, '']));
    const made: ApiObject = await sample.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data });
    expect(made.metadata.managedFields).to.equal(undefined);
    expect(Object.keys(made['data'] as JsonObject)).to.have.length(80_000);
    const small = await sample.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' }, data: { a: 'b' } });
    expect(small.metadata.managedFields).to.have.length(1);
  });

  it('is measured by texts', () => {
    expect(isTooLarge('etcdserver: request is too large')).to.equal(true);
    expect(isTooLarge('etcdserver: mvcc: database space exceeded')).to.equal(false);
  });
});
