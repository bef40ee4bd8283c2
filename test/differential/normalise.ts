import { isObject } from '../../api/json/json.js';
import { withoutDistribution } from '../golden/variation.js';

/**
 * What is left out of answers beyond the placeholders of recordings: names that servers make up, addresses and ages in cells of tables, and what a distribution of the other
 * server mounts into pods by itself.
 */
export const normalised = (value: unknown): unknown => withoutChosen(withoutDistribution(value));

/** The end of the name of a volume that pods get from their account. */
const accountVolume = /kube-api-access-[a-z0-9]{5}/g;
/** Of an object whose version a precondition does not meet. */
const versionInText = /(ResourceVersion in (?:record|the precondition)) \(\d+\)/g;
/** In the YAML form of `/api`. */
const serverAddress = /serverAddress: \S+/g;
const address = /^(\d{1,3}\.){3}\d{1,3}$|^[0-9a-f:]*::[0-9a-f:]*$/;

/** An age of less than a few minutes: how long the requests before took. */
const age = /^(\d+m)?\d+s$/;
const shownCell = (cell: unknown): unknown =>
  typeof cell !== 'string' ? cell : address.test(cell) ? '<ip>' : age.test(cell) ? '<age>' : cell;

function withoutChosen(value: unknown): unknown {
  if (typeof value === 'string')
    return value
      .replace(accountVolume, 'kube-api-access-<suffix>')
      .replace(versionInText, '$1 (<rv>)')
      .replace(serverAddress, 'serverAddress: <ip>');
  if (Array.isArray(value)) return value.map(withoutChosen);
  if (!isObject(value)) return value;
  if (typeof value['openapi'] === 'string') return withoutProse(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === 'cells' && Array.isArray(member) ? member.map(shownCell) : withoutChosen(member),
    ]),
  );
}

/** An OpenAPI document: its words are our own, and what it lists in some order is a set. */
function withoutProse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutProse);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => !(name === 'description' && typeof member === 'string') && name !== 'info')
      .map(([name, member]) => [name, Array.isArray(member) ? sortedSets(name, member) : withoutProse(member)]),
  );
}

const sets: ReadonlySet<string> = new Set(['required', 'parameters', 'x-kubernetes-group-version-kind']);
const sortedSets = (name: string, members: readonly unknown[]): unknown[] => {
  const shown = members.map(withoutProse);
  return sets.has(name) ? shown.map((each) => JSON.stringify(each)).sort() : shown;
};
