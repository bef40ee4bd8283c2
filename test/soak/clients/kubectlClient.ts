import fs from 'node:fs';
import path from 'node:path';
import { ClusterCommands, type Finished } from '../../fixtures/kubectl.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';
import { configMapOf, patchBody, storedOf, userLabel } from './ordinaryClient.js';
import type { ClientPlace, OrdinaryClient, Reply } from './ordinaryClient.js';

/** Texts of kubectl's errors. */
const statuses: readonly (readonly [text: string, status: number])[] = [
  ['(NotFound)', 404],
  ['(AlreadyExists)', 409],
  ['(Conflict)', 409],
];

function statusOf({ status, stderr }: Finished, good: number): number {
  if (status === 0) return good;
  const [, refusal] = statuses.find(([text]) => stderr.includes(text)) ?? [];
  if (refusal === undefined) throw new Error(`kubectl ended with ${status}: ${stderr.slice(0, 500)}`);
  return refusal;
}

/** Starts a kubectl for each request. */
export function kubectlClient(place: ClientPlace): OrdinaryClient {
  const folder = temporaryDirectory('soak-kubectl');
  const commands = new ClusterCommands(place.kubeconfig, folder);
  // The command line is too short, and kubectl cannot open a socket as standard input.
  const patchFile = path.join(folder, 'patch.json');
  const run = (args: readonly string[], input = ''): Promise<Finished> =>
    commands.try('kubectl', ['--namespace', place.namespace, ...args], input);
  const reply = async (good: number, args: readonly string[], input = ''): Promise<Reply> => {
    const finished = await run([...args, '--output', 'json'], input);
    const status = statusOf(finished, good);
    return { status, object: finished.status === 0 ? storedOf(JSON.parse(finished.stdout) as object) : null };
  };
  const own = ['--selector', `${userLabel}=${place.user}`];
  const removed = async (...what: string[]): Promise<Reply> => ({
    status: statusOf(await run(['delete', 'configmap', '--wait=false', ...what]), 200),
    object: null,
  });
  return {
    create: (name, text) => reply(201, ['create', '--filename', '-'], JSON.stringify(configMapOf(place, name, text))),
    read: (name) => reply(200, ['get', 'configmap', name]),
    replace: (name, text, resourceVersion) =>
      reply(200, ['replace', '--filename', '-'], JSON.stringify(configMapOf(place, name, text, resourceVersion))),
    patch: (name, text, kind) => {
      fs.writeFileSync(patchFile, JSON.stringify(patchBody[kind](text)));
      return reply(200, ['patch', 'configmap', name, '--type', kind, '--patch-file', patchFile]);
    },
    remove: (name) => removed(name),
    list: async () => {
      const finished = await run(['get', 'configmaps', ...own, '--output', 'json']);
      const status = statusOf(finished, 200);
      const { items } = JSON.parse(finished.stdout) as { readonly items: readonly object[] };
      return { status, items: items.flatMap((item) => storedOf(item) ?? []) };
    },
    removeAll: () => removed(...own),
    close: () => undefined,
  };
}
