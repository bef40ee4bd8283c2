import { writeJson } from '../../workers/codecs/jsonWriter.js';
import type { ApiObject } from '../../api/object.js';
import { apiVersionOf } from '../../api/resource.js';
import type { StoredObject } from '../storage/contract.js';
import type { ServedResource } from './resources.js';

export const toStorage = (resource: ServedResource, object: ApiObject): ApiObject =>
  resource.behaviour.conversion?.toStorage(object) ?? object;

/** Converts a stored object to the served version, without kind and apiVersion. */
export const fromStorage = (resource: ServedResource, object: ApiObject): ApiObject =>
  resource.behaviour.conversion?.fromStorage(object) ?? object;

/** Returns the stored bytes themselves unless a conversion is needed. */
export function servedItem(resource: ServedResource, stored: StoredObject): Buffer {
  const { conversion } = resource.behaviour;
  if (conversion === null) return stored.item;
  return stored.encoded(`json ${apiVersionOf(resource)}`, (object) => Buffer.from(writeJson(conversion.fromStorage(object.decode()))));
}

export const servedObject = (resource: ServedResource, stored: StoredObject): ApiObject => fromStorage(resource, stored.decode());
