import type { JsonObject } from '../../../../api/object.js';
import { cborCodec } from '../../../../workers/codecs/cbor.js';

export const selfDescribed = 'd9d9f7';

/** The object in an item of CBOR. */
export const decoded = (data: Buffer): JsonObject => {
  const result = cborCodec.decode(data, { findDuplicates: false, depthMax: 100 });
  if (!result.ok) throw new Error(`${result.message}: ${data.toString('hex')}`);
  return result.value as JsonObject;
};

/** Splits a sequence into items, which begin with the tag; the tag of an object in an event follows its member's name. */
export const sequence = (data: Buffer): JsonObject[] => {
  const events: JsonObject[] = [];
  const start = Buffer.from(`${selfDescribed}a2`, 'hex');
  for (let at = 0; at < data.length;) {
    const next = data.indexOf(start, at + start.length);
    const end = next < 0 ? data.length : next;
    events.push(decoded(data.subarray(at, end)));
    at = end;
  }
  return events;
};
