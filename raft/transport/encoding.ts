import type { AppendResult, Message, MessageBody } from '../core/messages.js';
import { logIndex, memberId, term } from '../types.js';
import type { Entry, EntryKind, Member, MemberId, MemberRole, Membership, SnapshotMeta } from '../types.js';
import type { ByteReader, ByteWriter } from './bytes.js';
import { DecodeError } from './bytes.js';
import type { Forward } from './contract.js';

/**
 * The handshake fixes `from` and `to`. Numbers of message types and entry kinds belong to the protocol; a change of meaning raises `protocolVersion`
 * (handshake.ts).
 */

type BodyOf<B, T> = B extends { readonly type: string } ? (T extends B['type'] ? Omit<B, 'type'> : never) : never;
interface Codec<T> {
  readonly code: number;
  write(writer: ByteWriter, body: T): void;
  read(reader: ByteReader): T;
}
type Codecs = { readonly [T in MessageBody['type']]: Codec<BodyOf<MessageBody, T>> };

const entryKinds: readonly EntryKind[] = ['noop', 'command', 'membership'];
const roles: readonly MemberRole[] = ['voter', 'learner'];
const entryBytesMin = 4;

const campaign = (code: number): Codecs['vote'] => ({
  code,
  write: (writer, body) => {
    writer.uint(body.lastIndex);
    writer.uint(body.lastTerm);
    writer.flag(body.transfer);
  },
  read: (reader) => ({ lastIndex: logIndex(reader.uint()), lastTerm: term(reader.uint()), transfer: reader.flag() }),
});

const campaignReply = (code: number): Codecs['voteReply'] => ({
  code,
  write: (writer, body) => writer.flag(body.granted),
  read: (reader) => ({ granted: reader.flag() }),
});

const codecs: Codecs = {
  preVote: campaign(1),
  vote: campaign(2),
  preVoteReply: campaignReply(3),
  voteReply: campaignReply(4),
  append: {
    code: 5,
    write: (writer, body) => {
      writer.uint(body.previousIndex);
      writer.uint(body.previousTerm);
      writer.uint(body.commit);
      writer.uint(body.round);
      writeEntries(writer, body.entries);
    },
    read: (reader) => ({
      previousIndex: logIndex(reader.uint()),
      previousTerm: term(reader.uint()),
      commit: logIndex(reader.uint()),
      round: reader.uint(),
      entries: readEntries(reader),
    }),
  },
  appendReply: {
    code: 6,
    write: (writer, body) => {
      writer.uint(body.round);
      writeAppendResult(writer, body.result);
    },
    read: (reader) => ({ round: reader.uint(), result: readAppendResult(reader) }),
  },
  installSnapshot: {
    code: 7,
    write: (writer, body) => writeSnapshotMeta(writer, body.snapshot),
    read: (reader) => ({ snapshot: readSnapshotMeta(reader) }),
  },
  readIndex: { code: 8, write: (writer, body) => writer.uint(body.id), read: (reader) => ({ id: reader.uint() }) },
  readIndexReply: {
    code: 9,
    write: (writer, body) => {
      writer.uint(body.id);
      writer.flag(body.index !== null);
      if (body.index !== null) writer.uint(body.index);
    },
    read: (reader) => ({ id: reader.uint(), index: reader.flag() ? logIndex(reader.uint()) : null }),
  },
  timeoutNow: { code: 10, write: () => undefined, read: () => ({}) },
};

const typeOf = new Map(Object.entries(codecs).map(([type, codec]) => [codec.code, type as MessageBody['type']]));

/** Omits `from` and `to`. */
export function writeMessage(writer: ByteWriter, message: Message): void {
  const codec = codecs[message.type] as Codec<Message>;
  writer.u8(codec.code);
  writer.uint(message.term);
  codec.write(writer, message);
}

/** Throws a DecodeError (or a RangeError of `types.ts`) for anything but a complete message. */
export function readMessage(reader: ByteReader, from: MemberId, to: MemberId): Message {
  const code = reader.u8();
  const type = typeOf.get(code);
  if (type === undefined) throw new DecodeError(`no message has the type ${code}`);
  const inTerm = term(reader.uint());
  const body = codecs[type].read(reader);
  reader.end();
  return { from, to, term: inTerm, type, ...body } as Message;
}

function writeEntries(writer: ByteWriter, entries: readonly Entry[]): void {
  writer.uint(entries.length);
  for (const entry of entries) {
    writer.uint(entry.index);
    writer.uint(entry.term);
    writer.u8(entryKinds.indexOf(entry.kind));
    writer.bytes(entry.data);
  }
}

function readEntries(reader: ByteReader): Entry[] {
  const entries: Entry[] = [];
  for (let left = reader.count(entryBytesMin); left > 0; left -= 1) {
    entries.push({
      index: logIndex(reader.uint()),
      term: term(reader.uint()),
      kind: oneOf(entryKinds, reader.u8(), 'entry kind'),
      data: reader.bytes(),
    });
  }
  return entries;
}

function writeAppendResult(writer: ByteWriter, result: AppendResult): void {
  writer.flag(result.accepted);
  if (result.accepted) {
    writer.uint(result.match);
  } else {
    writer.uint(result.rejected);
    writer.uint(result.hintIndex);
    writer.uint(result.hintTerm);
  }
}

function readAppendResult(reader: ByteReader): AppendResult {
  if (reader.flag()) return { accepted: true, match: logIndex(reader.uint()) };
  return { accepted: false, rejected: logIndex(reader.uint()), hintIndex: logIndex(reader.uint()), hintTerm: term(reader.uint()) };
}

function writeMembership(writer: ByteWriter, membership: Membership): void {
  writer.uint(membership.members.length);
  for (const member of membership.members) {
    writer.string(member.id);
    writer.u8(roles.indexOf(member.role));
    writer.string(member.address);
  }
  writer.uint(membership.removed.length);
  for (const id of membership.removed) writer.string(id);
}

function readMembership(reader: ByteReader): Membership {
  const members: Member[] = [];
  for (let left = reader.count(3); left > 0; left -= 1) {
    members.push({ id: memberId(reader.string()), role: oneOf(roles, reader.u8(), 'role'), address: reader.string() });
  }
  const removed: MemberId[] = [];
  for (let left = reader.count(1); left > 0; left -= 1) removed.push(memberId(reader.string()));
  return { members, removed };
}

function writeSnapshotMeta(writer: ByteWriter, meta: SnapshotMeta): void {
  writer.uint(meta.index);
  writer.uint(meta.term);
  writeMembership(writer, meta.membership);
}

function readSnapshotMeta(reader: ByteReader): SnapshotMeta {
  return { index: logIndex(reader.uint()), term: term(reader.uint()), membership: readMembership(reader) };
}

export function writeForward(writer: ByteWriter, forward: Forward): void {
  writer.flag(forward.type === 'propose');
  writer.uint(forward.term);
  writer.string(forward.session);
  writer.uint(forward.attempt);
  if (forward.type === 'refused') {
    writer.uint(forward.refusedFrom);
    writer.flag(forward.leads);
    return;
  }
  writer.uint(forward.part);
  writer.uint(forward.proposals.length);
  for (const proposal of forward.proposals) {
    writer.uint(proposal.sequence);
    writer.bytes(proposal.command);
  }
}

export function readForward(reader: ByteReader): Forward {
  const isProposal = reader.flag();
  const head = { term: term(reader.uint()), session: reader.string(), attempt: reader.uint() };
  const forward: Forward = isProposal
    ? { type: 'propose', ...head, part: reader.uint(), proposals: readProposals(reader) }
    : { type: 'refused', ...head, refusedFrom: reader.uint(), leads: reader.flag() };
  reader.end();
  return forward;
}

function readProposals(reader: ByteReader): { sequence: number; command: Uint8Array }[] {
  const proposals: { sequence: number; command: Uint8Array }[] = [];
  for (let left = reader.count(2); left > 0; left -= 1) proposals.push({ sequence: reader.uint(), command: reader.bytes() });
  return proposals;
}

function oneOf<T>(values: readonly T[], position: number, what: string): T {
  const value = values[position];
  if (value === undefined) throw new DecodeError(`no ${what} has the number ${position}`);
  return value;
}
