import fs from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Entry modules by the names of bundles. */
export const programs = {
  apiserver: 'server/main.js',
  'controller-manager': 'controllers/main.js',
  balancer: 'deploy/balancer.js',
  nodes: 'deploy/nodes/main.js',
  etcdMember: 'deploy/etcdMember.js',
  raftplane: 'deploy/cli/main.js',
  leash: 'deploy/leash.js',
  threadLeash: 'deploy/threadLeash.js',
  partition: 'deploy/partition.js',
  memberFaults: 'deploy/testing/memberFaults.js',
  clientFaults: 'deploy/testing/clientFaults.js',
  envtestApiserver: 'deploy/envtest/kubeApiserver.js',
  envtestEtcd: 'deploy/envtest/etcd.js',
  testing: 'deploy/testing/index.js',
  client: 'controllers/client/index.js',
  controllers: 'controllers/index.js',
  api: 'server/manifests/index.js',
  raft: 'raft/index.js',
  server: 'server/index.js',
} as const;

export type ProgramName = keyof typeof programs;

/** This code is one folder below the compiled code, compiled or bundled. */
const compiled = new URL('../', import.meta.url);
/** Every compilation of a program touches it. */
const lastCompiled = new URL('deploy/tsconfig.tsbuildinfo', compiled);

/** Returns the file to run: the bundle, which starts in half the time, or the module if compiled later than the bundle (`bundle.mjs`). */
export function programFile(name: ProgramName): string {
  const bundle = fileURLToPath(new URL(`programs/${name}.js`, compiled));
  const isCurrent = modifiedMs(bundle) > modifiedMs(fileURLToPath(lastCompiled));
  return isCurrent ? bundle : fileURLToPath(new URL(programs[name], compiled));
}

/** Returns 0 when there is no such file. */
const modifiedMs = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
