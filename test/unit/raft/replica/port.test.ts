import { expect } from 'chai';
import * as fc from 'fast-check';
import type { WriteOutcome } from '../../../../raft/replicaApi.js';
import {
  AnswerWriter,
  RequestWriter,
  flattenError,
  headOfChanges,
  readAnswers,
  readChanges,
  readRequests,
  restoreError,
} from '../../../../raft/replica/port.js';
import type { AnswerReceiver, RequestReceiver } from '../../../../raft/replica/port.js';
import type { RangeResult } from '../../../../raft/store/contract.js';
import { DecodeError } from '../../../../raft/transport/bytes.js';
import { revision } from '../../../../raft/types.js';

const at = fc.oneof(fc.nat(1000), fc.maxSafeNat()).map(revision);
const bytes = fc.uint8Array({ maxLength: 40 });
const change = fc.record({ revision: at, createRevision: at, key: fc.string(), value: fc.option(bytes) });
const keyValue = fc.record({ key: fc.string(), value: bytes, createRevision: at, modRevision: at, version: fc.nat() });
const written: fc.Arbitrary<WriteOutcome> = fc.oneof(
  fc.record({ outcome: fc.constant('applied' as const), revision: at }),
  fc.record({ outcome: fc.constant('compacted' as const), revision: at }),
  fc.record({ outcome: fc.constant('conflict' as const), revision: at, current: fc.array(fc.option(keyValue), { maxLength: 4 }) }),
  fc.record({ outcome: fc.constantFrom('unavailable' as const, 'unknown' as const), reason: fc.string() }),
);
const range: fc.Arbitrary<RangeResult> = fc.oneof(
  fc.record({ outcome: fc.constant('found' as const), revision: at, remaining: fc.nat(), items: fc.array(keyValue, { maxLength: 4 }) }),
  fc.record({ outcome: fc.constant('compacted' as const), compacted: at }),
  fc.record({ outcome: fc.constant('future' as const), revision: at }),
);
const rangeOptions = fc.record({ start: fc.string(), end: fc.option(fc.string()), revision: fc.option(at), limit: fc.option(fc.nat()) });

/** Records calls as [name, ...arguments], byte arrays as numbers. */
function recorder<T extends object>(): { calls: unknown[]; receiver: T } {
  const calls: unknown[] = [];
  const receiver = new Proxy(
    {},
    {
      get:
        (_target, name) =>
        (...args: unknown[]) =>
          void calls.push([name, ...args]),
    },
  ) as T;
  return { calls, receiver };
}
const plain = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return [...value];
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
  return value;
};

describe('raft/replica/port', () => {
  it('carries a batch of requests over as it was, in order', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), bytes, rangeOptions, (id, timeout, data, options) => {
        const writer = new RequestWriter();
        writer.propose({ sequence: id, timeoutMs: timeout, use: 'essential', data });
        writer.range(id, options);
        writer.barrier(id, timeout);
        writer.status(id);
        writer.range(id, { ...options, bytesMax: 7, countRemaining: false });
        writer.changesSince(id, revision(timeout), 9);
        writer.membership(id, timeout, { type: 'remove', id: 'a' as never });
        writer.transfer(id, timeout);
        writer.stop(id);
        const { calls, receiver } = recorder<RequestReceiver>();
        readRequests(writer.take().buffer, receiver);
        expect(plain(calls)).to.deep.equal(
          plain([
            ['propose', { sequence: id, timeoutMs: timeout, use: 'essential', data }],
            ['range', id, options],
            ['barrier', id, timeout],
            ['status', id],
            ['range', id, { ...options, bytesMax: 7, countRemaining: false }],
            ['changesSince', id, timeout, 9],
            ['changeMembership', id, { type: 'remove', id: 'a' }, timeout],
            ['transferLeadership', id, timeout],
            ['stop', id],
          ]),
        );
      }),
    );
  });

  it('carries outcomes and changes over as they were, in order', () => {
    fc.assert(
      fc.property(fc.nat(), written, range, fc.array(change), at, fc.boolean(), (id, outcome, result, changes, newest, gap) => {
        const writer = new AnswerWriter();
        writer.changes(changes, newest, { compacted: revision(3), gap });
        writer.written(id, outcome);
        writer.range(id, result);
        writer.changesSince(id, { outcome: 'found', changes, through: newest });
        writer.changesSince(id, { outcome: 'compacted', compacted: newest });
        writer.barrier(id, { outcome: 'reached', revision: newest });
        writer.barrier(id, { outcome: 'unavailable', reason: 'none' });
        writer.done(id);
        const { calls, receiver } = recorder<AnswerReceiver>();
        readAnswers(writer.take().buffer, receiver);
        const [first, ...others] = calls as [[string, Buffer], ...unknown[]];
        expect(headOfChanges(first[1])).to.deep.equal({ revision: newest, compacted: 3, gap });
        expect(plain(readChanges(first[1]))).to.deep.equal(plain(changes));
        expect(plain(others)).to.deep.equal(
          plain([
            ['written', id, outcome],
            ['range', id, result],
            ['changesSince', id, { outcome: 'found', changes, through: newest }],
            ['changesSince', id, { outcome: 'compacted', compacted: newest }],
            ['barrier', id, { outcome: 'reached', revision: newest }],
            ['barrier', id, { outcome: 'unavailable', reason: 'none' }],
            ['done', id],
          ]),
        );
      }),
    );
  });

  it('keeps name, code and causes of an error', () => {
    const error = Object.assign(new Error('outer', { cause: Object.assign(new Error('inner'), { code: 'EIO' }) }), {
      name: 'DiskFailedError',
      code: 'DISK_FAILED',
    });
    const restored = restoreError(flattenError(error));
    expect(restored).to.include({ name: 'DiskFailedError', message: 'outer', code: 'DISK_FAILED', stack: error.stack });
    expect(restored.cause).to.include({ message: 'inner', code: 'EIO' });
  });

  it('refuses codes that it does not know', () => {
    expect(() => readRequests(new Uint8Array([99]).buffer, recorder<RequestReceiver>().receiver)).to.throw(DecodeError);
    expect(() => readAnswers(new Uint8Array([99]).buffer, recorder<AnswerReceiver>().receiver)).to.throw(DecodeError);
  });
});
