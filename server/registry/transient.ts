import { writingJson } from '../../workers/codecs/jsonSteps.js';
import { writeJson } from '../../workers/codecs/jsonWriter.js';
import { turns } from '../../workers/turns/turns.js';
import { type Steps } from '../../api/steps.js';
import { copyInSteps, copyOf } from '../../api/json/copy.js';
import type { ApiObject, JsonObject } from '../../api/object.js';
import type { StoredObject, Version } from '../storage/contract.js';
import type { Eventually } from './conversions.js';
import { isHeavy } from './turns.js';

/** The outcome of a dry run, or the last state of a deleted object. */
export function transientObject(object: ApiObject, version: Version): StoredObject {
  const content = contentOf(object);
  return shownAs({ content, item: Buffer.from(writeJson(content)) }, object, version);
}

/** The same, yielding to other requests while a large object is encoded. */
export const transientInTurns = (object: ApiObject, version: Version): Eventually<StoredObject> =>
  isHeavy(object as JsonObject) ? turns.run(transientSteps(object, version)) : transientObject(object, version);

function* transientSteps(object: ApiObject, version: Version): Steps<StoredObject> {
  const content = contentOf(object);
  const { text } = yield* writingJson(content);
  yield;
  return shownAs({ content, item: Buffer.from(text) }, object, version);
}

function contentOf({ kind: _kind, apiVersion: _apiVersion, ...content }: ApiObject): JsonObject {
  return content as JsonObject;
}

interface Shown {
  readonly content: JsonObject;
  readonly item: Buffer;
}

function shownAs({ content, item }: Shown, object: ApiObject, version: Version): StoredObject {
  const { namespace = '', name = '', uid = '', labels = {} } = object.metadata;
  const self: StoredObject = {
    namespace,
    name,
    uid,
    version,
    labels,
    item,
    apiVersion: object.apiVersion ?? '',
    fields: { 'metadata.name': name, 'metadata.namespace': namespace },
    decode: () => copyOf(content) as ApiObject,
    decodeInSteps: () => copyInSteps(content) as Steps<ApiObject>,
    encoded: (_form, make) => make(self),
  };
  return self;
}
