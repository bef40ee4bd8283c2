import { once } from 'node:events';
import type { ReplicaCount } from '../settings.js';
import { CommandRefused } from './control.js';
import { quote } from './foreground.js';
import { print, table } from './output.js';

/** Environment variables by which `raftplane fault` finds the cluster. */
const variables = { url: 'RAFTPLANE_FAULTS', token: 'RAFTPLANE_FAULTS_TOKEN' } as const;

export interface TestClusterTerms {
  readonly replicas: ReplicaCount;
  readonly controllers: boolean;
  readonly nodes: number;
  readonly endWithStdin: boolean;
  readonly apiserverFlag: readonly string[];
  readonly json: boolean;
}

/**
 * Runs a cluster for tests in any language until SIGTERM, SIGINT or, optionally, the end of standard input. Prints its address and credentials once it is
 * ready.
 */
export async function runTestCluster({ replicas, controllers, nodes, endWithStdin, apiserverFlag, json }: TestClusterTerms): Promise<void> {
  const [{ startCluster }, { serveFaults }] = await Promise.all([import('../testing/index.js'), import('../testing/door/server.js')]);
  const end = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => end.abort(new Error(`stopped by ${signal}`)));
  if (endWithStdin) process.stdin.resume().on('end', () => end.abort(new Error('standard input has ended')));
  const cluster = await startCluster({ replicas, controllers, nodes, apiserverFlags: apiserverFlag, audit: false, signal: end.signal });
  try {
    const door = await serveFaults(cluster);
    const { url: server, kubeconfigPath: kubeconfig } = cluster;
    if (json)
      print(
        JSON.stringify({
          server,
          kubeconfig,
          faults: { url: door.url, token: door.token },
          members: cluster.members.map(({ id, url }) => ({ id, url })),
        }),
      );
    else print(`export KUBECONFIG=${quote(kubeconfig)} ${variables.url}=${door.url} ${variables.token}=${door.token}`);
    if (!end.signal.aborted) await once(end.signal, 'abort');
    await door.close();
  } finally {
    await cluster.stop();
  }
}

/** Sends a fault to the test cluster named by the environment. Throws its refusal. */
export async function askForFault(action: string | undefined, given: readonly string[]): Promise<object> {
  const [url, token] = [process.env[variables.url], process.env[variables.token]];
  if (!url || !token)
    throw new CommandRefused(
      `no test cluster is named: "raftplane test-cluster" prints what to put into ${variables.url} and ${variables.token}`,
    );
  const headers = { authorization: `Bearer ${token}` };
  const request =
    action === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(Object.fromEntries(given.map(pairIn))) };
  const response = await fetch(new URL(`/${action ?? ''}`, url), request).catch((error: unknown) => {
    throw new CommandRefused(`no test cluster answers at ${url}: ${error instanceof Error ? error.message : String(error)}`);
  });
  const body = (await response.json()) as { readonly error?: string };
  if (response.ok) return body;
  throw response.status < 500 ? new CommandRefused(body.error ?? `status ${response.status}`) : new Error(body.error);
}

export type ActionList = Readonly<
  Record<string, { readonly about: string; readonly takes: Readonly<Record<string, { readonly optional?: boolean }>> }>
>;

export function actionTable(list: ActionList): string {
  const words = (takes: ActionList[string]['takes']): string[] =>
    Object.entries(takes).map(([name, { optional }]) => (optional === true ? `[${name}=...]` : `${name}=...`));
  return table(Object.entries(list).map(([name, { about, takes }]) => [[name, ...words(takes)].join(' '), about]));
}

function pairIn(word: string): readonly [string, string] {
  const at = word.indexOf('=');
  if (at <= 0) throw new CommandRefused(`${JSON.stringify(word)} is no parameter: write NAME=VALUE, such as member=leader`);
  return [word.slice(0, at), word.slice(at + 1)];
}
