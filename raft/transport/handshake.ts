import { createHash } from 'node:crypto';
import { memberId } from '../types.js';
import type { MemberId } from '../types.js';
import type { ByteReader, ByteWriter } from './bytes.js';
import { DecodeError } from './bytes.js';

/** Grows with any change of the protocol: versions do not mix. */
export const protocolVersion = 1;
export const handshakeBytesMax = 2048;
const magic = 'RAFT';
const reasonCharactersMax = 500;

/** Replicas must know it before they communicate. Incarnations and certificates separate two clusters with the same token. */
export function clusterIdOf(token: string): string {
  return createHash('sha256').update('raft cluster\0').update(token).digest('hex').slice(0, 16);
}

/** The incarnation is that of the data directory. */
export interface Identity {
  readonly clusterId: string;
  readonly id: MemberId;
  readonly incarnation: string;
}

export type Purpose = 'messages' | 'snapshot';
const purposes: readonly Purpose[] = ['messages', 'snapshot'];

export interface Hello extends Identity {
  readonly version: number;
  readonly to: MemberId;
  readonly purpose: Purpose;
  /** A receiver with an older membership answers there; may be empty. */
  readonly address: string;
}

export const refusalCodes = ['version', 'cluster', 'addressee', 'certificate', 'removed', 'incarnation', 'alone'] as const;
/** `removed` and `incarnation` are final. */
export type RefusalCode = (typeof refusalCodes)[number];
export interface Refusal {
  readonly code: RefusalCode;
  readonly reason: string;
}
/** A caller that gets no code tries again. */
export type Objection = Refusal | { readonly code: null; readonly reason: string };
export const finalRefusals: ReadonlySet<RefusalCode> = new Set<RefusalCode>(['removed', 'incarnation']);

/** The result is durable on return. A failed disk knows nothing of the member, so the answer is not final. */
export type Remember = (id: MemberId, incarnation: string) => 'same' | 'different' | 'diskFailed';

/** A replica's knowledge about callers. */
export interface CallerRecords {
  isRemoved(id: MemberId): boolean;
  /** A caller must mean another cluster, even with the same token and names. */
  isAlone(): boolean;
  remember: Remember;
}

/** `certified` is the member in its certificate. */
export function refuseHello(hello: Hello, certified: MemberId, self: Identity, known: CallerRecords): Objection | null {
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
  return objectionTo(hello, known);
}

/** Returns null if the called member answers, or the reason for refusal. */
export function refuseWelcome(welcome: Identity, called: MemberId, self: Identity, known: CallerRecords): string | null {
  if (welcome.clusterId !== self.clusterId) return 'it belongs to another cluster';
  if (welcome.id !== called) return `it says that it is ${welcome.id}`;
  return objectionTo(welcome, known)?.reason ?? null;
}

function objectionTo({ id, incarnation }: Identity, known: CallerRecords): Objection | null {
  const remembered = known.remember(id, incarnation);
  if (remembered === 'same') return null;
  if (remembered === 'diskFailed') return { code: null, reason: `the data directory of ${id} could not be remembered: the disk failed` };
  return {
    code: 'incarnation',
    reason: `member ${id} is known with another data directory; a replica that lost its data must be added as a new member with a new member id`,
  };
}

export function writeHello(writer: ByteWriter, hello: Hello): void {
  writer.string(magic);
  writer.uint(hello.version);
  writeIdentity(writer, hello);
  writer.string(hello.to);
  writer.u8(purposes.indexOf(hello.purpose));
  writer.string(hello.address);
}

/** A hello of another version is read as far as a proper refusal needs. */
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
