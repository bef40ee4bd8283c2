import { objectAt, objectsIn, type ApiObject, type JsonObject } from '../language.js';
import type { Conversion } from '../../registry/behaviour.js';

/** `v1beta1` nests requests and descriptions of devices differently from later versions. */

/** The members of an exact request, which `firstAvailable` has in each alternative. */
const exactMembers = ['deviceClassName', 'selectors', 'allocationMode', 'count', 'adminAccess', 'tolerations', 'capacity'];

type Rewrite = (item: JsonObject) => JsonObject;

/** A copy of the object in which each item of the list at the end of the path is rewritten. */
function rewritten(object: JsonObject, [member = '', ...rest]: readonly string[], rewrite: Rewrite): JsonObject {
  if (rest.length === 0) return Array.isArray(object[member]) ? { ...object, [member]: objectsIn(object, member).map(rewrite) } : object;
  const inner = objectAt(object, member);
  return inner === null ? object : { ...object, [member]: rewritten(inner, rest, rewrite) };
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
/** This version always has the class, empty with alternatives. */
const flattenRequest: Rewrite = ({ exactly, ...request }) => ({
  deviceClassName: '',
  ...request,
  ...objectAt({ exactly: exactly ?? null }, 'exactly'),
});

const flattenDevice: Rewrite = ({ basic, ...device }) => ({ ...device, ...objectAt({ basic: basic ?? null }, 'basic') });
const nestDevice: Rewrite = (device) => ({
  ...picked(device, (member) => member === 'name'),
  basic: picked(device, (member) => member !== 'name'),
});

const conversion = (path: readonly string[], rules: { readonly toStorage: Rewrite; readonly fromStorage: Rewrite }): Conversion => ({
  toStorage: (object) => rewritten(object, path, rules.toStorage) as ApiObject,
  fromStorage: (object) => rewritten(object, path, rules.fromStorage) as ApiObject,
});

const requests = { toStorage: nestRequest, fromStorage: flattenRequest };

export const claimConversion = conversion(['spec', 'devices', 'requests'], requests);
export const claimTemplateConversion = conversion(['spec', 'spec', 'devices', 'requests'], requests);
export const sliceConversion = conversion(['spec', 'devices'], { toStorage: flattenDevice, fromStorage: nestDevice });
