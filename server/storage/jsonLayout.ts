import { jsonCodec } from '../../workers/codecs/json.js';
import { writingJson, type JsonText } from '../../workers/codecs/jsonSteps.js';
import type { Steps } from '../../api/steps.js';
import type { ApiObject, JsonObject, JsonValue } from '../../api/object.js';

/** An object in JSON without its resource version, and where in it the parts are that are read or put in without parsing the rest. */
export interface JsonLayout {
  readonly apiVersion: string;
  readonly text: string;
  /** How many bytes it has in UTF-8: as many as characters when all of it is ASCII, as nearly everything is. */
  readonly bytes: number;
  /** The resource version goes behind so many characters, ... */
  readonly versionAtCharacter: number;
  /** ... which are so many bytes. */
  readonly versionAt: number;
  /** Of the labels' object, in bytes; both 0 when there are none. */
  readonly labelsAt: number;
  readonly labelsLength: number;
  readonly bigIntegers: boolean;
}

/** Members of objects and of their metadata that have a place of their own in the JSON, or are not in it. */
const placedMembers: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata']);
const placedMetadata: ReadonlySet<string> = new Set(['name', 'generateName', 'namespace', 'uid', 'resourceVersion', 'labels']);
const start = '{"metadata":{"name":';
const metadataStart = '{"metadata":{'.length;
const labelsStart = ',"labels":'.length;

/**
 * Without kind and apiVersion; identity comes first in metadata, then the labels. All is written at once: each call of JSON.stringify has a price of its
 * own, and looking for the ends of a few texts has hardly any. `name` is that of the key, for objects that do not say it.
 */
export function inJson(object: ApiObject, nameOfKey: string): JsonLayout {
  const first = firstOf(object, nameOfKey);
  return layoutOf(first, object, write(wholeOf(first, object)));
}

/** The same in steps, for objects that are, or may be, large. */
export function* inJsonSteps(object: ApiObject, nameOfKey: string): Steps<JsonLayout> {
  const first = firstOf(object, nameOfKey);
  const whole = yield* writingJson(wholeOf(first, object));
  yield;
  return layoutOf(first, object, whole);
}

/** What comes first in metadata. */
interface First {
  readonly identity: JsonObject;
  readonly labels: JsonObject | undefined;
}

function firstOf({ metadata }: ApiObject, nameOfKey: string): First {
  const { name = nameOfKey, generateName, namespace, uid, labels } = metadata;
  const identity = { name, generateName, namespace, uid } as JsonObject;
  return { identity, labels: labels !== undefined && labels !== null && hasMembers(labels) ? labels : undefined };
}

/** Built member by member, as the engine writes such objects fastest. */
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

/** The bytes of a text that has `bytes` of them, put at a place that has room for it. Returns where they end. */
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

/** Names that are numbers come before all others in any object, and here behind. */
function inParts(first: JsonObject, object: ApiObject): JsonText {
  const parts = [first, withOthers({}, object.metadata as JsonObject, placedMetadata), withOthers({}, object, placedMembers)].map(write);
  const [identity = '', metadata = '', others = ''] = parts.map(({ text }) => text.slice(1, -1));
  const list = (...members: string[]): string => members.filter((each) => each !== '').join(',');
  return {
    text: `{${list(`"metadata":{${list(identity, metadata)}}`, others)}}`,
    bigIntegers: parts.some(({ bigIntegers }) => bigIntegers),
  };
}

/** Whether plain JSON.stringify was enough is told as well. */
function write(value: JsonObject): JsonText {
  try {
    return { text: JSON.stringify(value), bigIntegers: false };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { text: jsonCodec.encode(value).toString(), bigIntegers: true };
  }
}

/** Where the last of some members ends whose text begins at `start`. */
function endOfMembers(text: string, start: number, members: JsonObject): number {
  let strings = 0;
  for (const name in members) {
    const value = members[name];
    if (value === undefined) continue;
    // Nobody may have checked it.
    if (typeof value !== 'string') return start + write(members).text.length - 2;
    strings += 2;
  }
  let end = start;
  for (let string = 0; string < strings; string++) end = endOfString(text, text.indexOf('"', end) + 1) + 1;
  return end;
}

/** The quote that ends the string whose first character is at `start`. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start); ; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (before >= start && text.charCodeAt(before) === 0x5c) before--;
    if ((quote - before) % 2 === 1) return quote;
  }
}
