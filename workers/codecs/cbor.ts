import { bytesPlanOf } from './cborBytes.js';
import type { Codec, DecodeOptions, DecodeResult, Kind } from './contract.js';
import { readCbor } from './cborReader.js';
import { cborHead, major, selfDescribedTag, writeCbor } from './cborWriter.js';

export const cborMediaType = 'application/cbor';
export const cborSequenceMediaType = 'application/cbor-seq';

/** What every CBOR body of the reference begins with. */
export const selfDescribed = Buffer.from([0xd9, selfDescribedTag >> 8, selfDescribedTag & 0xff]);

/**
 * CBOR (RFC 8949) as the reference reads and writes it: text as byte strings, members in the order of their encoded names, the
 * shortest form of every number, no NaN and no infinities. A sequence (RFC 8742) is encoded values one after the other.
 */
export const cborCodec: Codec = {
  name: 'cbor',
  mediaType: cborMediaType,
  decode(bytes: Uint8Array, { depthMax }: DecodeOptions): DecodeResult {
    const read = readCbor(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), depthMax);
    return read.ok ? { ok: true, value: read.value, duplicates: [] } : read;
  },
  encode: (value: unknown): Buffer => writeCbor(value, { tagged: true }),
};

/** Encodes an object of a known kind: where the kind has bytes, they are bytes and not base64. Throws as the codec does. */
export const encodeCborObject = (value: unknown, kind: Kind): Buffer => writeCbor(value, { tagged: true, plan: bytesPlanOf(kind) });

/** The same without the leading tag: the form of list items, and of whatever stands inside of something else. */
export const encodeCborItem = (value: unknown, kind: Kind): Buffer => writeCbor(value, { tagged: false, plan: bytesPlanOf(kind) });

/** One value of any kind, without the leading tag. */
export const encodeCborPart = (value: unknown): Buffer => writeCbor(value, { tagged: false });

export const cborMapHead = (count: number): Buffer => cborHead(major.map, count);
export const cborListHead = (count: number): Buffer => cborHead(major.list, count);

/** How many members an encoded map has, and where the first begins. The map is one of ours: its length is never open. */
export const cborMembersOf = (map: Buffer): { readonly count: number; readonly at: number } => {
  const information = (map[0] ?? 0) & 31;
  if (information < 24) return { count: information, at: 1 };
  const bytes = 2 ** (information - 24);
  return { count: map.readUIntBE(1, bytes), at: 1 + bytes };
};
