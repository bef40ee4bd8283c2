import { expect } from 'chai';
import fc from 'fast-check';
import {
  comparisonsMax,
  decodeCommand,
  encodeProposal,
  keyBytesMax,
  MalformedCommandError,
  operationsMax,
  proposalBytesMax,
  readProposalId,
  sessionBytesMax,
} from '../../../../raft/store/command.js';
import type { Command, Operation } from '../../../../raft/store/contract.js';
import { revision } from '../../../../raft/types.js';

const whole = fc.oneof(fc.nat(300), fc.maxSafeNat()).map((value) => revision(value));
const text = fc.string({ unit: 'binary', maxLength: 40 });
const value = fc.uint8Array({ maxLength: 300 });
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ type: fc.constant('put' as const), key: text, value }),
  fc.record({ type: fc.constant('delete' as const), key: text }),
);
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ type: fc.constant('compact' as const), revision: whole }),
  fc.record({
    type: fc.constant('transaction' as const),
    transaction: fc.record({
      comparisons: fc.array(fc.record({ key: text, modRevision: whole }), { maxLength: 5 }),
      operations: fc.uniqueArray(operation, { maxLength: 5, selector: ({ key }) => key }),
    }),
  }),
);

/** Compares Buffers and Uint8Arrays by content. */
const plain = (given: Command): unknown =>
  JSON.parse(
    JSON.stringify(given, (_, part: unknown) => (part instanceof Uint8Array ? [...part] : part)),
    (_, part: unknown) =>
      typeof part === 'object' && part !== null && 'type' in part && part.type === 'Buffer' && 'data' in part ? part.data : part,
  );

const put = (key: string, bytes = new Uint8Array(0)): Operation => ({ type: 'put', key, value: bytes });
const transaction = (
  operations: readonly Operation[],
  comparisons: { key: string; modRevision: ReturnType<typeof revision> }[] = [],
): Command => ({ type: 'transaction', transaction: { comparisons, operations } });

describe('command encoding', () => {
  it('gives back what was encoded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 16 }), fc.maxSafeNat(), command, (session, sequence, given) => {
        const bytes = encodeProposal(session, sequence, given);
        expect(readProposalId(bytes)).to.deep.equal({ session, sequence });
        expect(plain(decodeCommand(bytes))).to.deep.equal(plain(given));
      }),
    );
  });

  it('reads from the middle of a larger buffer', () => {
    const bytes = encodeProposal('s', 7, transaction([put('k', Buffer.from('v'))]));
    const wrapped = new Uint8Array(bytes.length + 20).fill(255);
    wrapped.set(bytes, 9);
    expect(plain(decodeCommand(wrapped.subarray(9, 9 + bytes.length)))).to.deep.equal(plain(decodeCommand(bytes)));
  });

  it('owns its memory alone, so that handing it to another thread copies nothing else', () => {
    const bytes = encodeProposal('s', 7, transaction([put('k')]));
    expect(bytes.buffer.byteLength).to.equal(bytes.length);
  });

  it('refuses every proper part of an encoding, and anything behind it', () => {
    fc.assert(
      fc.property(command, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (given, part) => {
        const bytes = encodeProposal('session', 1, given);
        expect(() => decodeCommand(bytes.subarray(0, Math.floor(bytes.length * part)))).to.throw(MalformedCommandError);
        expect(() => decodeCommand(Buffer.concat([bytes, Buffer.alloc(1)]))).to.throw(MalformedCommandError);
      }),
    );
  });

  it('reads random bytes as nothing, or as a command with these very bytes', () => {
    const header = fc.constant(encodeProposal('s', 1, { type: 'compact', revision: revision(0) }).subarray(0, -2));
    const random = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.tuple(header, fc.uint8Array({ maxLength: 40 })).map(([front, back]) => Buffer.concat([front, back])),
    );
    fc.assert(
      fc.property(random, (bytes) => {
        let read: Command;
        try {
          read = decodeCommand(bytes);
        } catch (error) {
          expect(error).to.be.instanceOf(MalformedCommandError);
          return;
        }
        const { session, sequence } = readProposalId(bytes);
        expect(Buffer.compare(encodeProposal(session, sequence, read), bytes)).to.equal(0);
      }),
      { numRuns: 2000 },
    );
  });

  const tooMuch: { name: string; encode: () => Uint8Array }[] = [
    { name: 'a long session', encode: () => encodeProposal('x'.repeat(sessionBytesMax + 1), 1, transaction([])) },
    { name: 'a long key', encode: () => encodeProposal('s', 1, transaction([put('é'.repeat(keyBytesMax / 2) + 'x')])) },
    { name: 'a long proposal', encode: () => encodeProposal('s', 1, transaction([put('k', new Uint8Array(proposalBytesMax))])) },
    {
      name: 'many operations',
      encode: () => encodeProposal('s', 1, transaction(Array.from({ length: operationsMax + 1 }, (_, place) => put(`${place}`)))),
    },
    {
      name: 'many comparisons',
      encode: () =>
        encodeProposal(
          's',
          1,
          transaction(
            [],
            Array.from({ length: comparisonsMax + 1 }, () => ({ key: 'k', modRevision: revision(0) })),
          ),
        ),
    },
    { name: 'a key twice', encode: () => encodeProposal('s', 1, transaction([put('k'), { type: 'delete', key: 'k' }])) },
    { name: 'half a surrogate pair', encode: () => encodeProposal('s', 1, transaction([put('\ud800')])) },
    { name: 'a negative sequence', encode: () => encodeProposal('s', -1, transaction([])) },
    { name: 'a fraction', encode: () => encodeProposal('s', 1.5, transaction([])) },
  ];
  for (const { name, encode } of tooMuch) it(`refuses to encode ${name}`, () => expect(encode).to.throw(MalformedCommandError));

  it('takes as much as its bounds say', () => {
    const most = transaction(Array.from({ length: operationsMax }, (_, place) => put(`${place}`.padEnd(keyBytesMax, '.'))));
    expect(plain(decodeCommand(encodeProposal('x'.repeat(sessionBytesMax), Number.MAX_SAFE_INTEGER, most)))).to.deep.equal(plain(most));
    expect(encodeProposal('s', 1, transaction([put('k\ufffd\0')])).length).to.be.above(0);
  });

  const malformed: { name: string; bytes: number[]; says: RegExp }[] = [
    { name: 'nothing', bytes: [], says: /ends at byte 0/ },
    { name: 'another version', bytes: [2, 0, 0, 2, 0], says: /version 2/ },
    { name: 'an unknown command', bytes: [1, 0, 0, 9], says: /command type 9/ },
    { name: 'an unknown operation', bytes: [1, 0, 0, 1, 0, 1, 9, 0], says: /operation type 9/ },
    { name: 'a number that is longer than needed', bytes: [1, 0, 0, 2, 0x80, 0], says: /longer than needed/ },
    { name: 'a number of 2^53', bytes: [1, 0, 0, 2, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10], says: /too large/ },
    { name: 'a number without end', bytes: [1, 0, 0, 2, 255, 255, 255, 255, 255, 255, 255, 255, 255], says: /too large/ },
    { name: 'a length that no bytes follow', bytes: [1, 0, 0, 1, 0, 1, 2, 5, 65], says: /only 1 are left/ },
    { name: 'a huge count', bytes: [1, 0, 0, 1, 0xff, 0xff, 0xff, 0x7f], says: /more than the/ },
    { name: 'a key that is not UTF-8', bytes: [1, 0, 0, 1, 0, 1, 2, 1, 0xff], says: /cannot be read/ },
    { name: 'a key changed twice', bytes: [1, 0, 0, 1, 0, 2, 2, 1, 65, 2, 1, 65], says: /changed twice/ },
  ];
  for (const { name, bytes, says } of malformed)
    it(`refuses to read ${name}`, () => expect(() => decodeCommand(Uint8Array.from(bytes))).to.throw(MalformedCommandError, says));
});
