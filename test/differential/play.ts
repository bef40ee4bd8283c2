import { isObject } from '../../api/json/json.js';
import type { Connection } from '../golden/connection.js';
import { filled } from '../golden/placeholders.js';
import { Player } from '../golden/player.js';
import type { Expectation } from '../golden/recordings.js';
import type { AskedStep, Sequence } from './area.js';
import { quietState } from './quiet.js';
import { playKubelet } from './kubelet.js';

/** What each step showed; null for one that shows nothing. */
export type Played = readonly (Expectation | null)[];

const json = { 'content-type': 'application/json', accept: 'application/json' };

/** Plays a sequence under the names that are given, and takes away what it made. Answers are in the form of recordings. */
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

/** A namespace with its account, which a controller would make if one ran. */
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

/** Plays a sequence outside of namespaces that stands beside others; what it made stays until the answer is called. */
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

/** Paths of objects outside of the namespace that a step made. */
function madeBy(step: AskedStep, seen: Expectation | null, names: Readonly<Record<string, unknown>>): string[] {
  const [method = '', target = ''] = filled(step.do ?? '', names).split(' ');
  const [path = '', query = ''] = target.split('?');
  if (seen?.status !== 201 || query.includes('dryRun') || path.includes(`/namespaces/${String(names['ns'])}/`)) return [];
  if (method !== 'POST') return [path];
  const name = [step.body, seen.body].map((object) => nameOf(filled(object, names))).find((each) => each !== undefined);
  return name === undefined || name.includes('<') ? [] : [`${path}/${name}`];
}

/** An answer of which a step keeps little need not have it. */
function nameOf(object: unknown): string | undefined {
  const metadata = isObject(object) ? object['metadata'] : undefined;
  const name = isObject(metadata) ? metadata['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** What was made last goes first: bindings before their policies. */
async function removeAll(connection: Connection, made: readonly string[]): Promise<void> {
  for (const path of [...made].reverse()) await remove(connection, path);
}

/** Without waiting, finalizers included: nobody is there who would act on them. */
async function remove(connection: Connection, path: string): Promise<void> {
  const patched = { method: 'PATCH', path, headers: { ...json, 'content-type': 'application/merge-patch+json' } };
  const deleted = await connection.request({ method: 'DELETE', path: `${path}?gracePeriodSeconds=0`, headers: json }).catch(() => null);
  if (deleted?.status === 200 && deleted.text.includes('"finalizers"') && !path.startsWith('/api/v1/namespaces'))
    await connection.request({ ...patched, body: '{"metadata":{"finalizers":null}}' }).catch(() => undefined);
}
