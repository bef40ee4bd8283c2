import { move, transferableSymbol, valueSymbol } from 'piscina';
import { decodeObject } from './decode.js';
import { runDecode, runEncode, type EncodeResult, type Job } from './job.js';

/** Entry point of the pool's threads. Bytes go back by transfer instead of by copy. */
export default ({ verb, job }: Job): unknown => {
  switch (verb) {
    case 'decode': return runDecode(job);
    case 'decodeObject': return decodeObject(job);
    case 'encode': return transferring(runEncode(job));
  }
};

const transferring = (result: EncodeResult): unknown => {
  if (!result.ok) return result;
  const own = result.bytes.byteLength === result.bytes.buffer.byteLength ? result.bytes : Uint8Array.prototype.slice.call(result.bytes);
  const value = { ok: true, bytes: new Uint8Array(own.buffer as ArrayBuffer) };
  return move({ [transferableSymbol]: value.bytes.buffer, [valueSymbol]: value });
};
