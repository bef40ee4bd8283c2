import type { ApiObject } from '../language.js';
import type { Conversion } from '../../registry/behaviour.js';

/** Members of the newer form, and their names in the stored core form. */
const renamed: readonly (readonly [newer: string, core: string])[] = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
];

/** Renamed members move to the end, since their order matters only to readers. */
function rename(object: ApiObject, pairs: readonly (readonly [from: string, to: string])[]): ApiObject {
  const members: ApiObject = { ...object };
  for (const [from, to] of pairs) {
    const value = members[from];
    delete members[from];
    if (value !== undefined) members[to] = value;
  }
  return members;
}

/** The core form shows these even when empty; the newer one does not. */
function withoutEmpty(renamedEvent: ApiObject): ApiObject {
  const object = { ...renamedEvent };
  for (const member of ['reportingController', 'reportingInstance']) if (object[member] === '') delete object[member];
  return object;
}

export const eventConversion: Conversion = {
  toStorage: (object) => rename(object, renamed),
  fromStorage: (object) =>
    withoutEmpty(
      rename(
        object,
        renamed.map(([newer, core]) => [core, newer] as const),
      ),
    ),
};
