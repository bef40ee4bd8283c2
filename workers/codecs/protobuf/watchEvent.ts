import { rawExtensionFields, readFields, type KnownFields } from './special.js';
import { WireError, WireReader } from './reader.js';

/** One message of a watch in Protobuf, which comes behind its length in four bytes: what happened, and the object in an envelope of its own. */
export type WatchEventResult =
  | { readonly ok: true; readonly type: string; /** A view of the input, not a copy. */ readonly object: Buffer }
  | { readonly ok: false; readonly message: string };

const event: KnownFields = {
  message: 'WatchEvent',
  fields: [
    ['Type', 2],
    ['Object', 2],
  ],
};

/** Takes a watch event apart without looking at its object. */
export const openWatchEvent = (bytes: Buffer): WatchEventResult => {
  try {
    let type = '';
    let object: Buffer = Buffer.alloc(0);
    const reader = new WireReader(bytes);
    readFields(reader, event, (number) => {
      if (number === 1) type = reader.string();
      else object = reader.nested(rawOf);
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
  readFields(reader, rawExtensionFields, () => {
    raw = reader.bytes();
  });
  return raw;
};
