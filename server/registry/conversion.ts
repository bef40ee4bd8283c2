import type { ApiObject } from '../api/object.js';
import { apiVersionOf } from '../api/resource.js';
import type { ServedResource } from '../catalogue/resources.js';
import type { StoredObject } from '../storage/contract.js';
import { writeJson } from '../../workers/codecs/jsonWriter.js';
import { autoscalerConversion } from '../kinds/autoscaling/conversion.js';
import { eventConversion } from '../kinds/events.k8s.io/conversion.js';
import { claimConversion, claimTemplateConversion, sliceConversion } from '../kinds/resource.k8s.io/conversion.js';

/** Translates objects between the stored version of a type and another served one. Both directions may reuse and change their argument. */
export interface Conversion {
  toStorage(object: ApiObject): ApiObject;
  fromStorage(object: ApiObject): ApiObject;
}

/** Conversions by `apiVersion Kind` of the served version. Types that are not listed have the same members in all versions. */
const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  'autoscaling/v1 HorizontalPodAutoscaler': autoscalerConversion,
  'events.k8s.io/v1 Event': eventConversion,
  'resource.k8s.io/v1beta1 ResourceClaim': claimConversion,
  'resource.k8s.io/v1beta1 ResourceClaimTemplate': claimTemplateConversion,
  'resource.k8s.io/v1beta1 ResourceSlice': sliceConversion,
};

/** Between two served versions of one kind; null when the second is not known. The argument may be changed. */
export function convertBetween(kind: string, from: string, to: string, object: ApiObject): ApiObject | null {
  const stored = CONVERSIONS[`${from} ${kind}`]?.toStorage(object) ?? object;
  return CONVERSIONS[`${to} ${kind}`]?.fromStorage(stored) ?? stored;
}

/** Asked for every item of a list. */
const found = new WeakMap<ServedResource, Conversion | null>();

function conversionOf(resource: ServedResource): Conversion | null {
  const known = found.get(resource);
  if (known !== undefined) return known;
  const conversion = CONVERSIONS[`${apiVersionOf(resource)} ${resource.kind}`] ?? null;
  found.set(resource, conversion);
  return conversion;
}

export const toStorage = (resource: ServedResource, object: ApiObject): ApiObject => conversionOf(resource)?.toStorage(object) ?? object;

/** The object as the served version shows it, without kind and apiVersion. */
export const fromStorage = (resource: ServedResource, object: ApiObject): ApiObject =>
  conversionOf(resource)?.fromStorage(object) ?? object;

/** The JSON of a stored object in the served version, without kind and apiVersion: the stored bytes themselves unless a conversion is needed. */
export function servedItem(resource: ServedResource, stored: StoredObject): Buffer {
  const conversion = conversionOf(resource);
  if (conversion === null) return stored.item;
  return stored.encoded(`json ${apiVersionOf(resource)}`, (object) => Buffer.from(writeJson(conversion.fromStorage(object.decode()))));
}

/** A decoded stored object in the served version. */
export const servedObject = (resource: ServedResource, stored: StoredObject): ApiObject => fromStorage(resource, stored.decode());
