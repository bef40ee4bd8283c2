import { setTimeout as delay } from 'node:timers/promises';
import { isObject } from '../../api/json/json.js';
import { parsed, type Connection } from '../golden/connection.js';
import { scenarioPlaceholders } from '../golden/placeholders.js';

type Item = Readonly<Record<string, unknown>>;

const pollMs = 600;
/** Controllers count as done after this time without change; the second is the limit. */
const restMs = 2_400;
const waitMs = 40_000;

/** The final objects by kind, in recorded and sorted form. */
export async function quietState(
  connection: Connection,
  paths: readonly string[],
  names: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const end = Date.now() + waitMs;
  let state = await itemsOf(connection, paths);
  for (let since = Date.now(); Date.now() - since < restMs && Date.now() < end;) {
    await delay(pollMs);
    const now = await itemsOf(connection, paths);
    if (JSON.stringify(now) !== JSON.stringify(state) || now.flat().some(isUnderWay)) since = Date.now();
    state = now;
  }
  return shownState(state, names);
}

/** The end of a namespace that its controller has not seen, or of a pod that has no node and still waits for the collector of pods. */
export function isUnderWay({ kind, metadata, spec, status }: Item): boolean {
  if (!isObject(metadata) || metadata['deletionTimestamp'] === undefined) return false;
  const { phase, conditions } = isObject(status) ? status : {};
  if (kind === 'Namespace') return conditions === undefined;
  const isPlaced = isObject(spec) && spec['nodeName'] !== undefined;
  return kind === 'Pod' && !isPlaced && phase !== 'Failed' && phase !== 'Succeeded';
}

const itemsOf = (connection: Connection, paths: readonly string[]): Promise<readonly (readonly Item[])[]> =>
  Promise.all(paths.map((path) => itemsAt(connection, path)));

/** The items of a list with their kind; empty where it is not served. */
export async function itemsAt(connection: Connection, path: string): Promise<Item[]> {
  const { status, text } = await connection.request({ method: 'GET', path, headers: { accept: 'application/json' } });
  const list = status === 200 ? parsed(text) : null;
  if (!isObject(list) || !Array.isArray(list['items'])) return [];
  const kind = String(list['kind']).replace(/List$/, '');
  return list['items'].filter((item) => isObject(item) && !isOfDistribution(item)).map((item: Item) => ({ kind, ...item }));
}

/** An object that the other server's distribution adds to every namespace. */
const isOfDistribution = ({ metadata }: Item): boolean => isObject(metadata) && metadata['name'] === 'openshift-service-ca.crt';

/** Only distinct field owners and events count, not how often. */
function shownState(lists: readonly (readonly Item[])[], names: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const all = lists.flat();
  const generated = all.flatMap(({ metadata }) => generatedNames(metadata));
  const events = all.filter(isEvent);
  const shown = all
    .filter((item) => !isEvent(item))
    .map((item) => [String(item['kind']), unnamed(scenarioPlaceholders(bare(item), names), generated)] as const)
    .map(([kind, item]) => [kind, kind === 'Pod' ? withoutAddress(item) : item] as const);
  const kinds = [...new Set(shown.map(([kind]) => kind))].sort();
  const objects = kinds.map((kind): readonly [string, unknown] => [
    kind,
    shown
      .filter(([each]) => each === kind)
      .map(([, item]) => item)
      .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1)),
  ]);
  return { ...Object.fromEntries(objects), ...(events.length > 0 ? { events: shownEvents(events, names) } : {}) };
}

const bare = (item: Item): Item => {
  const { managedFields, ...metadata } = isObject(item['metadata']) ? item['metadata'] : {};
  const { endpoints } = item;
  return {
    ...item,
    metadata,
    // The reference collects the endpoints of a slice in a map.
    ...(Array.isArray(endpoints)
      ? {
          endpoints: endpoints
            .map((each) => JSON.stringify(each))
            .sort()
            .map((each) => JSON.parse(each) as unknown),
        }
      : {}),
    owners: Array.isArray(managedFields) ? ownersOf(managedFields) : {},
  };
};

/** The fields of each owner; uids in member names are equal. */
function ownersOf(managedFields: readonly unknown[]): unknown {
  const entries = managedFields
    .filter(isObject)
    .map(({ manager, operation, subresource, fieldsV1 }) => [`${manager} ${operation} ${subresource ?? ''}`, fieldsV1]);
  return JSON.parse(JSON.stringify(Object.fromEntries(entries)).replaceAll(uid, '<uid>')) as unknown;
}

const uid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

const isEvent = ({ kind }: Item): boolean => kind === 'Event';

/** The distinct events of each object. */
function shownEvents(events: readonly Item[], names: Readonly<Record<string, unknown>>): Readonly<Record<string, readonly unknown[]>> {
  const reported: Record<string, Set<string>> = {};
  for (const { involvedObject, reason, message, type, source, reportingComponent, action } of events) {
    const { kind, name, fieldPath } = isObject(involvedObject) ? involvedObject : {};
    const shown = scenarioPlaceholders({ message, type, source, reportingComponent, action, fieldPath }, names);
    const key = unsuffixed(String(scenarioPlaceholders(`${kind} ${name} ${reason}`, names)));
    (reported[key] ??= new Set()).add(unsuffixed(JSON.stringify(shown)));
  }
  return Object.fromEntries(
    Object.entries(reported).map(([key, set]) => [key, [...set].sort().map((text) => JSON.parse(text) as unknown)]),
  );
}

/** Removes suffixes of generated names, because the named objects may be gone. */
const unsuffixed = (text: string): string => text.replace(/-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '-<suffix>');

/** Generated names with their prefixes. Some objects have a name after their owner and no `generateName`. */
function generatedNames(metadata: unknown): (readonly [name: string, prefix: string])[] {
  const { name, generateName, ownerReferences } = isObject(metadata) ? metadata : {};
  if (typeof name !== 'string') return [];
  const owners = Array.isArray(ownerReferences) ? ownerReferences.filter(isObject).map((owner) => `${String(owner['name'])}-`) : [];
  const prefix = [...(typeof generateName === 'string' ? [generateName] : []), ...owners].find(
    (each) => name.startsWith(each) && generatedSuffix.test(name.slice(each.length)),
  );
  return prefix === undefined ? [] : [[name, prefix]];
}
const generatedSuffix = /^[bcdfghjklmnpqrstvwxz2456789]{5}$/;

/** The played kubelet counts pods in the order of their names, which are random for those that replace others. */
const withoutAddress = (pod: unknown): unknown => JSON.parse(JSON.stringify(pod).replace(/\b10\.1\.0\.\d+\b/g, '<ip>')) as unknown;

/** The certificate authority in a secret. */
const authority = /"ca\.crt":"[A-Za-z0-9+/=]{100,}"/g;

function unnamed(value: unknown, generated: readonly (readonly [string, string])[]): unknown {
  const shown = JSON.stringify(value, (member, each: unknown) =>
    member === 'message' && typeof each === 'string' ? unsuffixed(each) : each,
  ).replace(authority, '"ca.crt":"<certificate>"');
  const text = generated.reduce((known, [name, prefix]) => known.replaceAll(name, `${prefix}<suffix>`), shown);
  return JSON.parse(text) as unknown;
}

/** Sorts by name first, so that other differences do not move objects. */
const orderOf = (item: unknown): string => {
  const metadata = isObject(item) ? item['metadata'] : undefined;
  return `${isObject(metadata) ? String(metadata['name']) : ''} ${JSON.stringify(item)}`;
};
