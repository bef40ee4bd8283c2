import { expect } from 'chai';
import * as fc from 'fast-check';
import type { Message, MessageBody } from '../../../../raft/core/messages.js';
import { ByteReader, ByteWriter, DecodeError } from '../../../../raft/transport/bytes.js';
import type { Forward } from '../../../../raft/transport/contract.js';
import { readForward, readMessage, writeForward, writeMessage } from '../../../../raft/transport/encoding.js';
import { logIndex, memberId, term } from '../../../../raft/types.js';
import type { Entry, EntryKind, MemberRole } from '../../../../raft/types.js';

const from = memberId('a');
const to = memberId('b');
const whole = fc.oneof(fc.nat(300), fc.maxSafeNat());
const index = whole.map(logIndex);
const inTerm = whole.map(term);
const bytes = fc.uint8Array({ maxLength: 300 });
const entry: fc.Arbitrary<Entry> = fc.record({
  index,
  term: inTerm,
  kind: fc.constantFrom<EntryKind>('noop', 'command', 'membership'),
  data: bytes,
});
const id = fc.stringMatching(/^[a-z0-9]{1,12}$/).map(memberId);
const membership = fc.record({
  members: fc.array(fc.record({ id, role: fc.constantFrom<MemberRole>('voter', 'learner'), address: fc.string() }), { maxLength: 5 }),
  removed: fc.array(id, { maxLength: 3 }),
});
const campaign = { lastIndex: index, lastTerm: inTerm, transfer: fc.boolean() };

const bodies: { readonly [T in MessageBody['type']]: fc.Arbitrary<unknown> } = {
  preVote: fc.record({ type: fc.constant('preVote'), ...campaign }),
  vote: fc.record({ type: fc.constant('vote'), ...campaign }),
  preVoteReply: fc.record({ type: fc.constant('preVoteReply'), granted: fc.boolean() }),
  voteReply: fc.record({ type: fc.constant('voteReply'), granted: fc.boolean() }),
  append: fc.record({
    type: fc.constant('append'),
    previousIndex: index,
    previousTerm: inTerm,
    commit: index,
    round: whole,
    entries: fc.array(entry, { maxLength: 8 }),
  }),
  appendReply: fc.record({
    type: fc.constant('appendReply'),
    round: whole,
    result: fc.oneof(
      fc.record({ accepted: fc.constant(true), match: index }),
      fc.record({ accepted: fc.constant(false), rejected: index, hintIndex: index, hintTerm: inTerm }),
    ),
  }),
  installSnapshot: fc.record({ type: fc.constant('installSnapshot'), snapshot: fc.record({ index, term: inTerm, membership }) }),
  readIndex: fc.record({ type: fc.constant('readIndex'), id: whole }),
  readIndexReply: fc.record({ type: fc.constant('readIndexReply'), id: whole, index: fc.option(index) }),
  timeoutNow: fc.record({ type: fc.constant('timeoutNow') }),
};
const message = fc
  .tuple(fc.oneof(...Object.values(bodies)), inTerm)
  .map(([body, sent]) => ({ from, to, term: sent, ...(body as MessageBody) }) as Message);
const session = fc.stringMatching(/^[0-9a-f]{16}$/);
const forward: fc.Arbitrary<Forward> = fc.oneof(
  fc.record({
    type: fc.constant('propose' as const),
    term: inTerm,
    session,
    attempt: whole,
    part: whole,
    proposals: fc.array(fc.record({ sequence: whole, command: bytes }), { maxLength: 5 }),
  }),
  fc.record({ type: fc.constant('refused' as const), term: inTerm, session, attempt: whole, refusedFrom: whole, leads: fc.boolean() }),
);

const encode = (write: (writer: ByteWriter) => void): Buffer => {
  const writer = new ByteWriter();
  write(writer);
  return writer.take();
};
/** Compares byte arrays by content. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_key, inner: unknown) => (inner instanceof Uint8Array ? [...inner] : inner)).replaceAll(
      /\{"type":"Buffer","data":(\[[0-9,]*\])\}/g,
      '$1',
    ),
  ) as unknown;
const expectDecodeError = (read: () => unknown): void => {
  try {
    read();
  } catch (error) {
    if (!(error instanceof DecodeError || error instanceof RangeError)) throw error;
  }
};

describe('raft/transport/encoding', () => {
  it('gives every Raft message back as it was', () => {
    fc.assert(
      fc.property(message, (sent) => {
        expect(plain(readMessage(new ByteReader(encode((writer) => writeMessage(writer, sent))), from, to))).to.deep.equal(plain(sent));
      }),
      { numRuns: 500 },
    );
  });

  it('covers every message type with its own code', () => {
    const codes = fc.sample(message, 500).map((sent) => encode((writer) => writeMessage(writer, sent))[0]);
    expect(new Set(codes).size).to.equal(Object.keys(bodies).length);
  });

  it('gives every forwarded proposal and refusal back as it was', () => {
    fc.assert(
      fc.property(forward, (sent) => {
        expect(plain(readForward(new ByteReader(encode((writer) => writeForward(writer, sent)))))).to.deep.equal(plain(sent));
      }),
    );
  });

  it('answers random bytes with a decode error and nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
        expectDecodeError(() => readMessage(new ByteReader(noise), from, to));
        expectDecodeError(() => readForward(new ByteReader(noise)));
      }),
      { numRuns: 2000 },
    );
  });

  it('refuses every message that was cut short or made longer', () => {
    fc.assert(
      fc.property(message, fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (sent, part) => {
        const whole = encode((writer) => writeMessage(writer, sent));
        expect(() => readMessage(new ByteReader(whole.subarray(0, Math.floor(whole.length * part))), from, to)).to.throw();
        expect(() => readMessage(new ByteReader(Buffer.concat([whole, Buffer.of(0)])), from, to)).to.throw(DecodeError);
      }),
    );
  });

  it('does not believe counts that the bytes cannot hold', () => {
    const hostile = encode((writer) => {
      writer.u8(5);
      for (let field = 0; field < 5; field += 1) writer.uint(1);
      writer.uint(2 ** 40);
    });
    expect(() => readMessage(new ByteReader(hostile), from, to)).to.throw(DecodeError, 'items announced');
  });
});
