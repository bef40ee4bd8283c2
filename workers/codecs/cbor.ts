import type { Codec, DecodeOptions, DecodeResult } from './contract.js';
import { readCbor } from './cborReader.js';
import { writeCbor } from './cborWriter.js';

export const CBOR_SEQUENCE_MEDIA_TYPE = 'application/cbor-seq';

/** Tag 55799, "self-described CBOR": what every CBOR body of the reference begins with. */
const SELF_DESCRIBED = Buffer.from([0xd9, 0xd9, 0xf7]);

/**
 * CBOR (RFC 8949) as the reference reads and writes it: text as byte strings, members in the order of their encoded names, the
 * shortest form of every number, no NaN and no infinities. A sequence (RFC 8742) is encoded values one after the other.
 */
export const cborCodec: Codec = {
  name: 'cbor',
  mediaType: 'application/cbor',
  decode(bytes: Uint8Array, { depthMax }: DecodeOptions): DecodeResult {
    const read = readCbor(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), depthMax);
    return read.ok ? { ok: true, value: read.value, duplicates: [] } : read;
  },
  encode: (value: unknown): Buffer => Buffer.concat([SELF_DESCRIBED, writeCbor(value)]),
};

/** Whether bytes begin with the tag. */
export const isSelfDescribedCbor = (bytes: Uint8Array): boolean => SELF_DESCRIBED.every((byte, index) => bytes[index] === byte);
