import { createHash } from 'node:crypto';
import { memberId } from '../types.js';
import type { MemberId } from '../types.js';
import type { ByteReader, ByteWriter } from './bytes.js';
import { DecodeError } from './bytes.js';

/** Raised whenever the meaning of a byte on the wire changes. Replicas of different versions do not talk. */
export const protocolVersion = 1;
/** Longest hello, welcome or refusal. */
export const handshakeBytesMax = 2048;
const magic = 'RAFT';
const reasonCharactersMax = 500;

/**
 * The identity of a cluster: derived from the agreed token alone, since all replicas must know it before they have talked.
 * That two clusters of the same token do not mix is left to incarnations and certificates.
 */
export function clusterIdOf(token: string): string {
  return createHash('sha256').update('raft cluster\0').update(token).digest('hex').slice(0, 16);
}

/** Who a replica is: a name that operators choose, and a random incarnation that was born with its data directory. */
export interface Identity {
  readonly clusterId: string;
  readonly id: MemberId;
  readonly incarnation: string;
}

/** What a connection is for. */
export type Purpose = 'messages' | 'snapshot';
const purposes: readonly Purpose[] = ['messages', 'snapshot'];

/** First frame of a connection, from the side that opened it. */
export interface Hello extends Identity {
  readonly version: number;
  readonly to: MemberId;
  readonly purpose: Purpose;
  /** Where the sender accepts connections, so that a receiver whose membership is older can answer; empty when nowhere. */
  readonly address: string;
}

export const refusalCodes = ['version', 'cluster', 'addressee', 'certificate', 'removed', 'incarnation', 'alone'] as const;
/** `removed` and `incarnation` are final for the refused replica; the others may be mended by configuration. */
export type RefusalCode = (typeof refusalCodes)[number];
export interface Refusal {
  readonly code: RefusalCode;
  readonly reason: string;
}
export const finalRefusals: ReadonlySet<RefusalCode> = new Set<RefusalCode>(['removed', 'incarnation']);

/** What a replica knows of the others when one of them calls. */
export interface Acquaintance {
  isRemoved(id: MemberId): boolean;
  /** This replica is all there is of its cluster, and has a history of its own: whoever calls means another cluster, though tokens and names are the same. */
  isAlone(): boolean;
  /** Remembers the incarnation when none is known for this member; false when another one is. Durable on return. */
  remember(id: MemberId, incarnation: string): boolean;
}

/** Whether a caller may come in: null, or why not. `certified` is the member that its certificate names. */
export function refuseHello(hello: Hello, certified: MemberId, self: Identity, known: Acquaintance): Refusal | null {
  if (hello.version !== protocolVersion)
    return { code: 'version', reason: `protocol version ${hello.version} was offered, ${self.id} speaks ${protocolVersion}` };
  if (hello.clusterId !== self.clusterId)
    return { code: 'cluster', reason: `${self.id} belongs to another cluster (cluster tokens differ)` };
  if (hello.to !== self.id) return { code: 'addressee', reason: `${hello.to} was called, but this is ${self.id}` };
  if (hello.id !== certified) return { code: 'certificate', reason: `the certificate is for ${certified}, not for ${hello.id}` };
  if (known.isRemoved(hello.id))
    return { code: 'removed', reason: `member ${hello.id} was removed from the cluster; member ids are never used again` };
  if (known.isAlone())
    return {
      code: 'alone',
      reason: `${self.id} is a cluster of its own in which there is no ${hello.id}: add ${hello.id} there first; or, where ${self.id} is to join another one, start it anew with an empty data directory and all members in its initial cluster`,
    };
  if (!known.remember(hello.id, hello.incarnation)) return { code: 'incarnation', reason: otherDisk(hello.id) };
  return null;
}

/** Whether the side that answered is the one that was called: null, or why not. */
export function refuseWelcome(welcome: Identity, called: MemberId, self: Identity, known: Acquaintance): string | null {
  if (welcome.clusterId !== self.clusterId) return 'it belongs to another cluster';
  if (welcome.id !== called) return `it says that it is ${welcome.id}`;
  if (!known.remember(welcome.id, welcome.incarnation)) return otherDisk(welcome.id);
  return null;
}

function otherDisk(id: MemberId): string {
  return `member ${id} is known with another data directory; a replica that lost its data must be added as a new member with a new member id`;
}

export function writeHello(writer: ByteWriter, hello: Hello): void {
  writer.string(magic);
  writer.uint(hello.version);
  writeIdentity(writer, hello);
  writer.string(hello.to);
  writer.u8(purposes.indexOf(hello.purpose));
  writer.string(hello.address);
}

/** Throws a DecodeError for anything that is not a hello. A hello of another version is read as far as needed to refuse it politely. */
export function readHello(reader: ByteReader): Hello {
  if (reader.string() !== magic) throw new DecodeError('not a replica');
  const version = reader.uint();
  const identity = readIdentity(reader);
  const to = memberId(reader.string());
  const purpose = purposes[reader.u8()];
  if (purpose === undefined) throw new DecodeError('unknown purpose');
  return { version, ...identity, to, purpose, address: reader.string() };
}

export function writeIdentity(writer: ByteWriter, identity: Identity): void {
  writer.string(identity.clusterId);
  writer.string(identity.id);
  writer.string(identity.incarnation);
}

export function readIdentity(reader: ByteReader): Identity {
  return { clusterId: reader.string(), id: memberId(reader.string()), incarnation: reader.string() };
}

export function writeRefusal(writer: ByteWriter, refusal: Refusal): void {
  writer.u8(refusalCodes.indexOf(refusal.code));
  writer.string(refusal.reason);
}

export function readRefusal(reader: ByteReader): Refusal {
  const code = refusalCodes[reader.u8()];
  if (code === undefined) throw new DecodeError('unknown refusal');
  return { code, reason: reader.string().slice(0, reasonCharactersMax) };
}
