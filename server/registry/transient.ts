import { writeJson } from '../../workers/codecs/jsonWriter.js';
import type { ApiObject } from '../api/object.js';
import type { StoredObject, Version } from '../storage/contract.js';

/** An object that is answered but not stored: the outcome of a dry run, or the last state of one that is gone. */
export function transientObject(object: ApiObject, version: Version): StoredObject {
  const { kind: _kind, apiVersion: _apiVersion, ...content } = object;
  const item = Buffer.from(writeJson(content));
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
    decode: () => structuredClone(content) as ApiObject,
    encoded: (_form, make) => make(self),
  };
  return self;
}
