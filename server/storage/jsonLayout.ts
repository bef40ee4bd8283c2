import { jsonCodec } from '../../workers/codecs/json.js';
import { writingJson, type JsonText } from '../../workers/codecs/jsonSteps.js';
import type { Steps } from '../../api/steps.js';
import type { ApiObject, JsonObject, JsonValue } from '../../api/object.js';

/** Positions of parts that are read or inserted without parsing. */
export interface JsonLayout {
  readonly apiVersion: string;
  readonly text: string;
  readonly bytes: number;
  /** The resource version's position in characters, ... */
  readonly versionAtCharacter: number;
  /** ... and in bytes. */
  readonly versionAt: number;
  /** The labels' object in bytes; both 0 if there is none. */
  readonly labelsAt: number;
  readonly labelsLength: number;
  readonly bigIntegers: boolean;
}

/** Members with their own position in the JSON, or none. */
const placedMembers: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata']);
const placedMetadata: ReadonlySet<string> = new Set(['name', 'generateName', 'namespace', 'uid', 'resourceVersion', 'labels']);
const start = '{"metadata":{"name":';
const metadataStart = '{"metadata":{'.length;
const labelsStart = ',"labels":'.length;

/** Metadata begins with the identity, then the labels. Calls JSON.stringify once, since a call is costly. `name` is the key's, for objects without one. */
export function inJson(object: ApiObject, nameOfKey: string): JsonLayout {
  const first = firstOf(object, nameOfKey);
  return layoutOf(first, object, write(wholeOf(first, object)));
}

export function* inJsonSteps(object: ApiObject, nameOfKey: string): Steps<JsonLayout> {
  const first = firstOf(object, nameOfKey);
  const whole = yield* writingJson(wholeOf(first, object));
  yield;
  return layoutOf(first, object, whole);
}

interface First {
  readonly identity: JsonObject;
  readonly labels: JsonObject | undefined;
}

function firstOf({ metadata }: ApiObject, nameOfKey: string): First {
  const { name = nameOfKey, generateName, namespace, uid, labels } = metadata;
  const identity = { name, generateName, namespace, uid } as JsonObject;
  return { identity, labels: labels !== undefined && labels !== null && hasMembers(labels) ? labels : undefined };
}

function wholeOf({ identity: { name, generateName, namespace, uid }, labels }: First, object: ApiObject): JsonObject {
  const first = { name, generateName, namespace, uid, labels } as JsonObject;
  return withOthers({ metadata: withOthers(first, object.metadata as JsonObject, placedMetadata) }, object, placedMembers);
}

function layoutOf({ identity, labels }: First, object: ApiObject, whole: JsonText): JsonLayout {
  const { text, bigIntegers } = whole.text.startsWith(start) ? whole : inParts({ ...identity, labels } as JsonObject, object);
  const bytes = Buffer.byteLength(text);
  const versionAtCharacter = endOfMembers(text, metadataStart, identity);
  const labelsAt = labels === undefined ? versionAtCharacter : versionAtCharacter + labelsStart;
  const labelsEnd = labels === undefined ? labelsAt : endOfMembers(text, labelsAt + 1, labels) + 1;
  const bytesBetween = (from: number, to: number): number => (bytes === text.length ? to - from : Buffer.byteLength(text.slice(from, to)));
  const versionAt = bytesBetween(0, versionAtCharacter);
  return {
    apiVersion: object.apiVersion ?? '',
    text,
    bytes,
    versionAtCharacter,
    versionAt,
    labelsAt: labels === undefined ? 0 : versionAt + labelsStart,
    labelsLength: bytesBetween(labelsAt, labelsEnd),
    bigIntegers,
  };
}

/** Returns the text's end. */
export function writeText(target: Buffer, at: number, text: string, bytes: number): number {
  return at + (bytes === text.length ? target.write(text, at, 'latin1') : target.write(text, at));
}

const hasMembers = (members: object): boolean => {
  for (const _name in members) return true;
  return false;
};

function withOthers(object: JsonObject, all: JsonObject, placed: ReadonlySet<string>): JsonObject {
  for (const name in all)
    if (!placed.has(name)) {
      // Plain assignment would set the prototype.
      if (name === '__proto__') Object.defineProperty(object, name, { value: all[name], enumerable: true });
      else object[name] = all[name] as JsonValue;
    }
  return object;
}

/** Integer names come first in any object, but last here. */
function inParts(first: JsonObject, object: ApiObject): JsonText {
  const parts = [first, withOthers({}, object.metadata as JsonObject, placedMetadata), withOthers({}, object, placedMembers)].map(write);
  const [identity = '', metadata = '', others = ''] = parts.map(({ text }) => text.slice(1, -1));
  const list = (...members: string[]): string => members.filter((each) => each !== '').join(',');
  return {
    text: `{${list(`"metadata":{${list(identity, metadata)}}`, others)}}`,
    bigIntegers: parts.some(({ bigIntegers }) => bigIntegers),
  };
}

/** Also returns whether plain JSON.stringify sufficed. */
function write(value: JsonObject): JsonText {
  try {
    return { text: JSON.stringify(value), bigIntegers: false };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { text: jsonCodec.encode(value).toString(), bigIntegers: true };
  }
}

function endOfMembers(text: string, start: number, members: JsonObject): number {
  let strings = 0;
  for (const name in members) {
    const value = members[name];
    if (value === undefined) continue;
    // The type may be unchecked.
    if (typeof value !== 'string') return start + write(members).text.length - 2;
    strings += 2;
  }
  let end = start;
  for (let string = 0; string < strings; string++) end = endOfString(text, text.indexOf('"', end) + 1) + 1;
  return end;
}

function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start); ; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (before >= start && text.charCodeAt(before) === 0x5c) before--;
    if ((quote - before) % 2 === 1) return quote;
  }
}
