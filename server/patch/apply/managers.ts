import { inOneGo, type Steps } from '../../../api/steps.js';
import { isObject } from '../../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { FieldSet } from './fieldSet.js';

/** Identifies an entry of `metadata.managedFields`. Different members make different managers, except that an applier is the same in every version. */
export interface ManagerId {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
}

export interface ManagerEntry extends ManagerId {
  /** RFC 3339 with seconds; null when unknown. */
  readonly time: string | null;
  readonly fields: FieldSet;
}

/** All managers of one object, by `managerKey`. Immutable. */
export type Managers = ReadonlyMap<string, ManagerEntry>;

export const managerKey = ({ manager, operation, apiVersion, subresource }: ManagerId): string =>
  JSON.stringify([manager, operation, operation === 'Apply' ? '' : apiVersion, subresource]);

/** The limit of Update entries; older ones are merged into one named `ancient-changes` per version. */
export const updateEntriesMax = 10;
const ancientManager = 'ancient-changes';

const managerNameLengthMax = 128;

/** `managedFields` is present and cannot be read. */
class ManagedFieldsError extends Error {
  override name = 'ManagedFieldsError';
}

/** Reads `metadata.managedFields`, one entry per step; a manager's last entry counts. Throws ManagedFieldsError. */
export function* readingManagers(entries: readonly JsonValue[] | undefined): Steps<Managers> {
  const managers = new Map<string, ManagerEntry>();
  for (const [position, entry] of (entries ?? []).entries()) {
    const read = yield* readEntry(isObject<JsonObject>(entry) ? entry : {}, position);
    managers.set(managerKey(read), read);
    yield;
  }
  return managers;
}

export const readManagers = (entries: readonly JsonValue[] | undefined): Managers => inOneGo(readingManagers(entries));

function* readEntry(entry: JsonObject, position: number): Steps<ManagerEntry> {
  const text = (name: string): string => (typeof entry[name] === 'string' ? entry[name] : '');
  const operation = text('operation');
  const [apiVersion, type] = [text('apiVersion'), text('fieldsType')];
  if (operation !== 'Apply' && operation !== 'Update') throw new ManagedFieldsError('operation must be `Apply` or `Update`');
  if (apiVersion === '') throw new ManagedFieldsError('apiVersion must not be empty');
  if (type === '') throw new ManagedFieldsError(`missing fieldsType in managed fields entry ${position}`);
  if (type !== 'FieldsV1') throw new ManagedFieldsError(`invalid fieldsType ${JSON.stringify(type)} in managed fields entry ${position}`);
  try {
    return {
      manager: text('manager'),
      operation,
      apiVersion,
      subresource: text('subresource'),
      time: text('time') || null,
      fields: entry['fieldsV1'] === undefined ? FieldSet.empty : yield* FieldSet.readingFieldsV1(entry['fieldsV1']),
    };
  } catch (cause) {
    throw new ManagedFieldsError(`error decoding versioned set from managed fields entry ${position}: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** Returns the reference's error for unreadable `metadata.managedFields`, or null. */
export function managersProblem(entries: readonly JsonValue[] | undefined): string | null {
  try {
    readManagers(entries);
    return null;
  } catch (error) {
    if (error instanceof ManagedFieldsError) return error.message;
    throw error;
  }
}

/** Writes `metadata.managedFields`, one entry per step: oldest first, appliers before updaters within a second. */
export function* writingManagers(managers: Managers): Steps<JsonObject[]> {
  const written: JsonObject[] = [];
  for (const entry of [...managers.values()].sort(inOrder)) {
    written.push({
      ...(entry.manager === '' ? {} : { manager: entry.manager }),
      operation: entry.operation,
      apiVersion: entry.apiVersion,
      ...(entry.time === null ? {} : { time: entry.time }),
      fieldsType: 'FieldsV1',
      fieldsV1: yield* entry.fields.writingFieldsV1(),
      ...(entry.subresource === '' ? {} : { subresource: entry.subresource }),
    });
    yield;
  }
  return written;
}

export const writeManagers = (managers: Managers): JsonObject[] => inOneGo(writingManagers(managers));

type Ordered = Pick<ManagerEntry, 'operation' | 'time' | 'manager' | 'apiVersion' | 'subresource'>;

function inOrder(a: Ordered, b: Ordered): number {
  if (a.operation !== b.operation) return a.operation < b.operation ? -1 : 1;
  const [left, right] = [a.time ?? '', b.time ?? ''];
  if (left !== right) return left < right ? -1 : 1;
  for (const member of ['manager', 'apiVersion', 'subresource'] as const) {
    if (a[member] !== b[member]) return a[member] < b[member] ? -1 : 1;
  }
  return 0;
}

/** Sorts written entries after the time of one has changed. */
export function reordered(entries: readonly JsonObject[]): JsonObject[] {
  if (entries.length < 2) return [...entries];
  const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
  const ordered = entries.map((entry) => ({
    entry,
    operation: entry['operation'] as Ordered['operation'],
    time: text(entry['time']),
    manager: text(entry['manager']),
    apiVersion: text(entry['apiVersion']),
    subresource: text(entry['subresource']),
  }));
  return ordered.sort(inOrder).map(({ entry }) => entry);
}

/** Merges the oldest Update entries to stay within the limit. */
export function capManagers(managers: Managers): Managers {
  const updates = [...managers.values()].filter((entry) => entry.operation === 'Update').sort(inOrder);
  if (updates.length <= updateEntriesMax) return managers;
  const capped = new Map(managers);
  const merged = new Map<string, FieldSet[]>();
  let count = updates.length;
  for (const entry of updates) {
    if (count <= updateEntriesMax) break;
    if (entry.manager === ancientManager) continue;
    const id: ManagerId = { manager: ancientManager, operation: 'Update', apiVersion: entry.apiVersion, subresource: '' };
    const key = managerKey(id);
    const ancient = capped.get(key);
    capped.delete(managerKey(entry));
    capped.set(key, { ...id, time: entry.time, fields: FieldSet.empty });
    noted(merged, key, ancient?.fields ?? FieldSet.empty).push(entry.fields);
    if (ancient !== undefined) count -= 1;
  }
  for (const [key, fields] of merged) capped.set(key, { ...capped.get(key)!, fields: FieldSet.unionOf(fields) });
  return capped;
}

function noted(sets: Map<string, FieldSet[]>, key: string, first: FieldSet): FieldSet[] {
  let known = sets.get(key);
  if (known === undefined) sets.set(key, (known = [first]));
  return known;
}

/** A client clears all ownership by an empty list, or a list with an empty entry. */
export const isReset = (entries: readonly JsonValue[] | undefined): boolean =>
  entries !== undefined && (entries.length === 0 || (entries.length === 1 && Object.keys((entries[0] ?? {}) as JsonObject).length === 0));

/** Most names are printable ASCII. */
const plain = /^[\x20-\x7e]*$/;

/** Returns the default manager: the user agent up to its first slash. */
export function managerOf(fieldManager: string, userAgent: string | undefined): string {
  if (fieldManager !== '') return fieldManager;
  const name = (userAgent ?? '').split('/', 1)[0] ?? '';
  const printable = plain.test(name) ? name : [...name].filter((character) => /[^\p{C}\p{Z}]| /u.test(character)).join('');
  return printable === '' ? 'unknown' : printable.slice(0, managerNameLengthMax);
}
