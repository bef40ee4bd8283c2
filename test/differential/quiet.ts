import { setTimeout as delay } from 'node:timers/promises';
import { isObject } from '../../api/json/json.js';
import { parsed, type Connection } from '../golden/connection.js';
import { scenarioPlaceholders } from '../golden/placeholders.js';

type Item = Readonly<Record<string, unknown>>;

const pollMs = 600;
/** So long nothing may change before controllers count as done, and so long they get. */
const restMs = 2_400;
const waitMs = 40_000;

/** The objects of each kind once they are at rest, in the form of recordings and in an order of their own. */
export async function quietState(
  connection: Connection,
  paths: readonly string[],
  names: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const end = Date.now() + waitMs;
  let state = await itemsOf(connection, paths);
  for (let since = Date.now(); Date.now() - since < restMs && Date.now() < end;) {
    await delay(pollMs);
    const now = await itemsOf(connection, paths);
    if (JSON.stringify(now) !== JSON.stringify(state)) since = Date.now();
    state = now;
  }
  return shownState(state, names);
}

const itemsOf = (connection: Connection, paths: readonly string[]): Promise<readonly (readonly Item[])[]> =>
  Promise.all(paths.map((path) => itemsAt(connection, path)));

/** The items of a list, each with its kind; none where nothing is served. */
export async function itemsAt(connection: Connection, path: string): Promise<Item[]> {
  const { status, text } = await connection.request({ method: 'GET', path, headers: { accept: 'application/json' } });
  const list = status === 200 ? parsed(text) : null;
  if (!isObject(list) || !Array.isArray(list['items'])) return [];
  const kind = String(list['kind']).replace(/List$/, '');
  return list['items'].filter((item) => isObject(item) && !isOfDistribution(item)).map((item: Item) => ({ kind, ...item }));
}

/** What a distribution of the other server puts into every namespace. */
const isOfDistribution = ({ metadata }: Item): boolean => isObject(metadata) && metadata['name'] === 'openshift-service-ca.crt';

/** Without owners of fields: how many steps a controller takes to a state is its own affair. */
function shownState(
  lists: readonly (readonly Item[])[],
  names: Readonly<Record<string, unknown>>,
): Readonly<Record<string, readonly unknown[]>> {
  const all = lists.flat();
  const generated = all.flatMap(({ metadata }) => generatedNames(metadata));
  const shown = all.map((item) => [String(item['kind']), unnamed(scenarioPlaceholders(bare(item), names), generated)] as const);
  const kinds = [...new Set(shown.map(([kind]) => kind))].sort();
  return Object.fromEntries(
    kinds.map((kind) => [
      kind,
      shown
        .filter(([each]) => each === kind)
        .map(([, item]) => item)
        .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1)),
    ]),
  );
}

const bare = (item: Item): Item => {
  const { managedFields: _, ...metadata } = isObject(item['metadata']) ? item['metadata'] : {};
  return { ...item, metadata };
};

/** Names that a server has made up, with what they begin with. */
function generatedNames(metadata: unknown): (readonly [name: string, prefix: string])[] {
  const { name, generateName } = isObject(metadata) ? metadata : {};
  return typeof name === 'string' && typeof generateName === 'string' && name.startsWith(generateName) ? [[name, generateName]] : [];
}

function unnamed(value: unknown, generated: readonly (readonly [string, string])[]): unknown {
  const text = generated.reduce((known, [name, prefix]) => known.replaceAll(name, `${prefix}<suffix>`), JSON.stringify(value));
  return JSON.parse(text) as unknown;
}

/** First the name: an object that differs elsewhere keeps its place. */
const orderOf = (item: unknown): string => {
  const metadata = isObject(item) ? item['metadata'] : undefined;
  return `${isObject(metadata) ? String(metadata['name']) : ''} ${JSON.stringify(item)}`;
};
