import { rawExtensionFields, readFields, type KnownFields } from './special.js';
import { WireError, WireReader } from './reader.js';

/** A watch message in Protobuf: a four-byte length, then the event type and the enveloped object. */
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

const rawOf = (reader: WireReader): Buffer => {
  let raw: Buffer = Buffer.alloc(0);
  readFields(reader, rawExtensionFields, () => {
    raw = reader.bytes();
  });
  return raw;
};
