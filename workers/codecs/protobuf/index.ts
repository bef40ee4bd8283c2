import { apiVersionOf, groupVersionOf } from '../../../api/meta/resource.js';
import { messageOfKind } from '../../../api/catalogue/protobuf.js';
import { typeOfKind } from '../../../api/catalogue/types.js';
import type { DecodeResult, Kind } from '../contract.js';
import { isMembers, type JsonMembers } from '../value.js';
import { openEnvelope, writeEnvelope } from './envelope.js';
import { EncodeError } from './fields.js';
import { messageDepthMax, codecOfMessage, type MessageCodec } from './messages.js';
import { WireError, WireReader } from './reader.js';
import { BackwardWriter } from './writer.js';

export type EncodeResult = { readonly ok: true; readonly bytes: Buffer } | { readonly ok: false; readonly message: string };

export const protobufMediaType = 'application/vnd.kubernetes.protobuf';

/** One buffer is enough: encoding never yields, so it is not re-entered. */
const scratch = new BackwardWriter();

/** Custom resources have no Protobuf form. */
export const hasProtobuf = (kind: Kind): boolean => messageOfKind(kind) !== undefined;

/** Encodes without envelope, for list items and storage. Unknown members are left out. */
export const encodeMessage = (value: unknown, kind: Kind): EncodeResult => {
  const message = messageOfKind(kind);
  if (message === undefined) return { ok: false, message: `no Protobuf message for ${describe(kind)}` };
  return scratchEncode((writer) => (codecOfMessage(message.name) as MessageCodec).writeBody(writer, value));
};

export interface ProtobufDecodeOptions {
  /** Rounds large integers like `JSON.parse` instead of returning bigint; for clients. */
  readonly rounded?: boolean;
}

/** Decodes a message without envelope. The result has no kind and no API version. */
export const decodeMessage = (
  bytes: Uint8Array,
  kind: Kind,
  { rounded = false }: ProtobufDecodeOptions = {},
): { readonly ok: true; readonly value: JsonMembers } | { readonly ok: false; readonly message: string } => {
  const message = messageOfKind(kind);
  if (message === undefined) return { ok: false, message: `no Protobuf message for ${describe(kind)}` };
  try {
    const value: JsonMembers = {};
    const reader = new WireReader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    reader.exact = !rounded;
    (codecOfMessage(message.name) as MessageCodec).readBody(reader, value, messageDepthMax);
    return { ok: true, value };
  } catch (error) {
    if (error instanceof WireError) return { ok: false, message: error.message };
    throw error;
  }
};

/** Encodes with envelope; the kind defaults to the object's own. */
export const protobufEncode = (value: unknown, given?: Kind): EncodeResult => {
  const named = isMembers(value) ? value : {};
  const kind = given ?? kindOf(textOf(named['apiVersion']), textOf(named['kind']));
  const known = given === undefined ? learn(kind) : knownKind(given);
  if (known === null) return { ok: false, message: `no Protobuf message for ${describe(kind)}` };
  const type = { apiVersion: textOf(named['apiVersion']) || known.apiVersion, kind: textOf(named['kind']) || known.kind };
  return scratchEncode((writer) => writeEnvelope(writer, type, () => known.codec.writeBody(writer, value)));
};

interface KnownKind {
  readonly codec: MessageCodec;
  /** Used if the object has none. */
  readonly apiVersion: string;
  readonly kind: string;
}

/** Keyed by identity: callers pass the same `Kind` for many objects. */
const knownKinds = new WeakMap<Kind, KnownKind | null>();

function knownKind(kind: Kind): KnownKind | null {
  let known = knownKinds.get(kind);
  if (known === undefined) knownKinds.set(kind, (known = learn(kind)));
  return known;
}

function learn(kind: Kind): KnownKind | null {
  const message = messageOfKind(kind);
  if (message === undefined) return null;
  const named = namesItself(kind);
  return {
    codec: codecOfMessage(message.name) as MessageCodec,
    apiVersion: named ? apiVersionOf(kind) : '',
    kind: named ? kind.kind : '',
  };
}

const scratchEncode = (write: (writer: BackwardWriter) => void): EncodeResult => {
  try {
    scratch.reset();
    write(scratch);
    return { ok: true, bytes: scratch.finish() };
  } catch (error) {
    if (error instanceof EncodeError) return { ok: false, message: error.message };
    throw error;
  }
};

/** Decodes an enveloped object; `given` applies if the envelope names no kind. */
export const protobufDecode = (bytes: Uint8Array, given?: Kind, options: ProtobufDecodeOptions = {}): DecodeResult => {
  const opened = openEnvelope(bytes);
  if (!opened.ok) return opened;
  const { apiVersion, kind, raw } = opened.envelope;
  const decoded = decodeMessage(raw, kind === '' && given !== undefined ? given : kindOf(apiVersion, kind), options);
  if (!decoded.ok) return decoded;
  const head = { ...(kind === '' ? {} : { kind }), ...(apiVersion === '' ? {} : { apiVersion }) };
  return { ok: true, value: { ...head, ...decoded.value }, duplicates: [] };
};

export const kindOf = (apiVersion: string, kind: string): Kind => ({ ...groupVersionOf(apiVersion), kind });

/** Watch events have no kind, so their envelope has none. */
const namesItself = (kind: Kind): boolean => typeOfKind(kind)?.fields?.has('kind') !== false;
const describe = (kind: Kind): string => `${apiVersionOf(kind)}, Kind=${kind.kind}`;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
