import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { isObject } from '../../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { encodedDocument, type BuiltDocument, type Encoding } from '../build.js';
import { ownPart, type RemoteVersionName } from './ownPart.js';
import { upgraded } from './upgrade.js';

/** Work on foreign documents runs in a thread of its own, since it takes time and may fail on any content. */

/** A received document to convert into its cached form. */
export interface Taking {
  readonly of: RemoteVersionName;
  readonly version: 2 | 3;
  readonly bytes: Uint8Array;
}

/** A cached document to serve as version 3. */
export interface Showing {
  /** Compressed JSON of this version. */
  readonly kept: Uint8Array;
  readonly version: 2 | 3;
  readonly encoding: Encoding;
}

/** The size limit of a document before compression. */
const keptBytesMax = 8 * 1024 * 1024;

/** Returns compressed JSON. Throws for an invalid, unencodable, or too large document. */
export function take({ of, version, bytes }: Taking): BuiltDocument {
  const document = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()) as JsonValue;
  const part = version === 2 ? ownPart(document, of) : checkedV3(document);
  // Both encodings may be requested later, so errors should appear now.
  encodedDocument(part, version, 'protobuf');
  if (version === 2) encodedDocument(upgraded(part), 3, 'protobuf');
  const json = Buffer.from(JSON.stringify(part));
  if (json.length > keptBytesMax) throw new Error(`what it says of the version has more than ${keptBytesMax} bytes`);
  return { hash: createHash('sha512').update(json).digest('hex').toUpperCase(), gzip: gzipSync(json) };
}

export function show({ kept, version, encoding }: Showing): BuiltDocument {
  const document = unpacked(kept);
  return encodedDocument(version === 2 ? upgraded(document) : document, 3, encoding);
}

const unpacked = (gzip: Uint8Array): JsonObject => JSON.parse(gunzipSync(gzip).toString()) as JsonObject;

function checkedV3(document: JsonValue): JsonObject {
  if (isObject<JsonObject>(document) && String(document['openapi']).startsWith('3.') && isObject<JsonObject>(document['paths']))
    return document;
  throw new Error('this is no document of OpenAPI version 3');
}
