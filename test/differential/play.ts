import { isObject } from '../../api/json/json.js';
import type { Connection } from '../golden/connection.js';
import { filled } from '../golden/placeholders.js';
import { Player } from '../golden/player.js';
import type { Expectation } from '../golden/recordings.js';
import type { AskedStep, Sequence } from './area.js';
import { quietState } from './quiet.js';
import { playKubelet } from './kubelet.js';

/** The result of each step, or null. */
export type Played = readonly (Expectation | null)[];

const json = { 'content-type': 'application/json', accept: 'application/json' };

/** Plays a sequence with given names, and removes its objects. Answers are in recorded form. */
export async function play(connection: Connection, { steps }: Sequence, names: Readonly<Record<string, string>>): Promise<Played> {
  const player = new Player(connection, [], { ...names });
  const isNamespaced = JSON.stringify(steps).includes('${ns}');
  const played: (Expectation | null)[] = [];
  const made = new Set<string>();
  if (isNamespaced) await makeNamespace(connection, names['ns'] ?? '');
  try {
    for (const step of steps) {
      const seen = await shown(connection, player, step);
      played.push(seen);
      for (const path of madeBy(step, seen, player.names)) made.add(path);
    }
    return played;
  } finally {
    player.close();
    await removeAll(connection, [...made]);
    if (isNamespaced) await remove(connection, `/api/v1/namespaces/${names['ns']}`);
  }
}

async function shown(connection: Connection, player: Player, step: AskedStep): Promise<Expectation | null> {
  const { names } = player;
  try {
    if (step.quiet !== undefined) return { body: await quietState(connection, filled(step.quiet, names), names) };
    if (step.pods !== undefined) return await playKubelet(connection, String(names['ns']), step.pods).then(() => null);
    const observed = await player.step(step);
    return observed === null || 'seen' in observed ? (observed?.seen ?? null) : { body: { missed: observed.missed } };
  } catch (error) {
    return { body: { failed: String(error) } };
  }
}

/** A namespace with its account, which a controller would create. */
async function makeNamespace(connection: Connection, name: string): Promise<void> {
  await post(connection, '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await post(connection, `/api/v1/namespaces/${name}/serviceaccounts`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default' },
  });
}

const post = (connection: Connection, path: string, body: object): Promise<unknown> =>
  connection.request({ method: 'POST', path, headers: json, body: JSON.stringify(body) });

/** Plays a cluster-scoped sequence; its objects stay until the returned function is called. */
export async function stand(
  connection: Connection,
  { steps }: Sequence,
  names: Readonly<Record<string, string>>,
): Promise<() => Promise<void>> {
  const player = new Player(connection, [], { ...names });
  const made: string[] = [];
  for (const step of steps) made.push(...madeBy(step, await shown(connection, player, step), player.names));
  return () => removeAll(connection, made);
}

/** Paths of cluster-scoped objects that a step made. */
function madeBy(step: AskedStep, seen: Expectation | null, names: Readonly<Record<string, unknown>>): string[] {
  const [method = '', target = ''] = filled(step.do ?? '', names).split(' ');
  const [path = '', query = ''] = target.split('?');
  if (seen?.status !== 201 || query.includes('dryRun') || path.includes(`/namespaces/${String(names['ns'])}/`)) return [];
  if (method !== 'POST') return [path];
  const name = [step.body, seen.body].map((object) => nameOf(filled(object, names))).find((each) => each !== undefined);
  return name === undefined || name.includes('<') ? [] : [`${path}/${name}`];
}

/** A reduced answer may lack the name. */
function nameOf(object: unknown): string | undefined {
  const metadata = isObject(object) ? object['metadata'] : undefined;
  const name = isObject(metadata) ? metadata['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** In reverse order: bindings before their policies. */
async function removeAll(connection: Connection, made: readonly string[]): Promise<void> {
  for (const path of [...made].reverse()) await remove(connection, path);
}

/** Removes finalizers too, without waiting: no client acts on them. */
async function remove(connection: Connection, path: string): Promise<void> {
  const patched = { method: 'PATCH', path, headers: { ...json, 'content-type': 'application/merge-patch+json' } };
  const deleted = await connection.request({ method: 'DELETE', path: `${path}?gracePeriodSeconds=0`, headers: json }).catch(() => null);
  if (deleted?.status === 200 && deleted.text.includes('"finalizers"') && !path.startsWith('/api/v1/namespaces'))
    await connection.request({ ...patched, body: '{"metadata":{"finalizers":null}}' }).catch(() => undefined);
}
