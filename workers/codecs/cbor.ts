import { bytesPlanOf } from './cborBytes.js';
import type { Codec, DecodeOptions, DecodeResult, Kind } from './contract.js';
import { readCbor } from './cborReader.js';
import { cborHead, major, selfDescribedTag, writeCbor } from './cborWriter.js';

export const cborMediaType = 'application/cbor';
export const cborSequenceMediaType = 'application/cbor-seq';

export const selfDescribed = Buffer.from([0xd9, selfDescribedTag >> 8, selfDescribedTag & 0xff]);

/**
 * CBOR (RFC 8949) in the reference's form: text as byte strings, members in the order of encoded names, shortest numbers, no NaN or infinities. A sequence
 * (RFC 8742) is a concatenation of values.
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

/** Encodes the kind's bytes members as bytes instead of base64. Throws like the codec. */
export const encodeCborObject = (value: unknown, kind: Kind): Buffer => writeCbor(value, { tagged: true, plan: bytesPlanOf(kind) });

/** Omits the leading tag, for list items and other nested objects. */
export const encodeCborItem = (value: unknown, kind: Kind): Buffer => writeCbor(value, { tagged: false, plan: bytesPlanOf(kind) });

/** Encodes any value, without the leading tag. */
export const encodeCborPart = (value: unknown): Buffer => writeCbor(value, { tagged: false });

export const cborMapHead = (count: number): Buffer => cborHead(major.map, count);
export const cborListHead = (count: number): Buffer => cborHead(major.list, count);

/** Returns the number of members and the first one's position. The map must be ours, of definite length. */
export const cborMembersOf = (map: Buffer): { readonly count: number; readonly at: number } => {
  const information = (map[0] ?? 0) & 31;
  if (information < 24) return { count: information, at: 1 };
  const bytes = 2 ** (information - 24);
  return { count: map.readUIntBE(1, bytes), at: 1 + bytes };
};
