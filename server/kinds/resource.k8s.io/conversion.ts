import type { ApiObject, JsonObject } from '../../../api/object.js';
import type { Conversion } from '../../registry/behaviour.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { specOf } from '../parts.js';

/** `v1beta1` nests requests and descriptions of devices differently from later versions. */

/** The members of an exact request, which `firstAvailable` has in each alternative. */
const exactMembers = ['deviceClassName', 'selectors', 'allocationMode', 'count', 'adminAccess', 'tolerations', 'capacity'];

type Rewrite = (item: JsonObject) => JsonObject;

function rewriteList(holder: JsonObject | null, list: string, rewrite: Rewrite): void {
  if (holder !== null && Array.isArray(holder[list])) holder[list] = objectsIn(holder, list).map(rewrite);
}

const picked = (item: JsonObject, isPicked: (member: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(item).filter(([member]) => isPicked(member)));
/** Empty members count as absent. */
const isSaid = (item: JsonObject): boolean =>
  Object.values(item).some((value) => value !== undefined && value !== null && value !== '' && value !== 0);

const nestRequest: Rewrite = (request) => {
  const exactly = picked(request, (member) => exactMembers.includes(member));
  return { ...picked(request, (member) => !exactMembers.includes(member)), ...(isSaid(exactly) ? { exactly } : {}) };
};
const flattenRequest: Rewrite = ({ exactly, ...request }) => ({ ...request, ...objectAt({ exactly: exactly ?? null }, 'exactly') });

const flattenDevice: Rewrite = ({ basic, ...device }) => ({ ...device, ...objectAt({ basic: basic ?? null }, 'basic') });
const nestDevice: Rewrite = (device) => ({
  ...picked(device, (member) => member === 'name'),
  basic: picked(device, (member) => member !== 'name'),
});

const requestsOf = (claimSpec: JsonObject | null): JsonObject | null => objectAt(claimSpec ?? {}, 'devices');

const conversion = (
  holderOf: (object: ApiObject) => JsonObject | null,
  list: string,
  rules: { readonly toStorage: Rewrite; readonly fromStorage: Rewrite },
): Conversion => ({
  toStorage(object) {
    rewriteList(holderOf(object), list, rules.toStorage);
    return object;
  },
  fromStorage(object) {
    rewriteList(holderOf(object), list, rules.fromStorage);
    return object;
  },
});

const requests = { toStorage: nestRequest, fromStorage: flattenRequest };

export const claimConversion = conversion((claim) => requestsOf(objectAt(claim, 'spec')), 'requests', requests);
export const claimTemplateConversion = conversion((template) => requestsOf(objectAt(specOf(template), 'spec')), 'requests', requests);
export const sliceConversion = conversion((slice) => objectAt(slice, 'spec'), 'devices', {
  toStorage: flattenDevice,
  fromStorage: nestDevice,
});
