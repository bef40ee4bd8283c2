import { readFields } from './special.js';
import { WireError, WireReader } from './reader.js';

/** One message of a watch in Protobuf, which comes behind its length in four bytes: what happened, and the object in an envelope of its own. */
export type WatchEventResult = { readonly ok: true; readonly type: string; /** A view of the input, not a copy. */ readonly object: Buffer } | { readonly ok: false; readonly message: string };

/** Takes a watch event apart without looking at its object. */
export const openWatchEvent = (bytes: Buffer): WatchEventResult => {
  try {
    let type = '';
    let object: Buffer = Buffer.alloc(0);
    const reader = new WireReader(bytes);
    readFields(reader, (number, wireType) => {
      if (wireType !== 2 || number > 2) return false;
      if (number === 1) type = reader.string();
      else object = reader.nested(rawOf);
      return true;
    });
    return { ok: true, type, object };
  } catch (error) {
    if (error instanceof WireError) return { ok: false, message: error.message };
    throw error;
  }
};

/** The bytes of a raw extension. */
const rawOf = (reader: WireReader): Buffer => {
  let raw: Buffer = Buffer.alloc(0);
  readFields(reader, (number, wireType) => {
    if (number !== 1 || wireType !== 2) return false;
    raw = reader.bytes();
    return true;
  });
  return raw;
};
