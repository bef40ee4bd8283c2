import { writeJson } from '../../workers/codecs/jsonWriter.js';
import type { ApiObject } from '../../api/object.js';
import { apiVersionOf } from '../../api/resource.js';
import type { StoredObject } from '../storage/contract.js';
import type { ServedResource } from './resources.js';

export const toStorage = (resource: ServedResource, object: ApiObject): ApiObject =>
  resource.behaviour.conversion?.toStorage(object) ?? object;

/** The object as the served version shows it, without kind and apiVersion. */
export const fromStorage = (resource: ServedResource, object: ApiObject): ApiObject =>
  resource.behaviour.conversion?.fromStorage(object) ?? object;

/** The JSON of a stored object in the served version, without kind and apiVersion: the stored bytes themselves unless a conversion is needed. */
export function servedItem(resource: ServedResource, stored: StoredObject): Buffer {
  const { conversion } = resource.behaviour;
  if (conversion === null) return stored.item;
  return stored.encoded(`json ${apiVersionOf(resource)}`, (object) => Buffer.from(writeJson(conversion.fromStorage(object.decode()))));
}

/** A decoded stored object in the served version. */
export const servedObject = (resource: ServedResource, stored: StoredObject): ApiObject => fromStorage(resource, stored.decode());
