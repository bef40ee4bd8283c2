import { move, transferableSymbol, valueSymbol } from 'piscina';
import type { DecodeResult } from './codecs/contract.js';
import type { Json } from './codecs/value.js';
import { decodeObject, type DecodeObjectResult } from './decode.js';
import { runDecode, runEncode, type EncodeResult, type Job } from './job.js';
import { cut, type Piece } from './pieces.js';

/** Runs the jobs of a pool thread. Transfers bytes instead of copying, and sends values in pieces. */
export default ({ verb, job }: Job): unknown => {
  switch (verb) {
    case 'decode':
      return inPieces<DecodeResult>(runDecode(job), (result) => (result.ok ? (result.value as Json) : undefined));
    case 'decodeObject':
      return inPieces<DecodeObjectResult>(decodeObject(job), (result) => (result.ok ? result.object : undefined));
    case 'encode':
      return transferring(runEncode(job));
  }
};

export interface PiecedResult<T> {
  readonly result: T;
  readonly pieces: readonly Piece[] | undefined;
}

const inPieces = <T extends DecodeResult | DecodeObjectResult>(result: T, valueOf: (result: T) => Json | undefined): PiecedResult<T> => {
  const value = valueOf(result);
  if (value === undefined) return { result, pieces: undefined };
  return { result: { ...result, ...('object' in result ? { object: {} } : { value: null }) }, pieces: cut(value) };
};

const transferring = (result: EncodeResult): unknown => {
  if (!result.ok) return result;
  const own = result.bytes.byteLength === result.bytes.buffer.byteLength ? result.bytes : Uint8Array.prototype.slice.call(result.bytes);
  const value = { ok: true, bytes: new Uint8Array(own.buffer as ArrayBuffer) };
  return move({ [transferableSymbol]: value.bytes.buffer, [valueSymbol]: value });
};
