import fs from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The programs, by the names under which they are bundled, and the module that each begins with, below the folder of what was compiled. */
export const programs = {
  apiserver: 'server/main.js',
  'controller-manager': 'controllers/main.js',
  balancer: 'deploy/balancer.js',
  nodes: 'deploy/nodes/main.js',
  etcdMember: 'deploy/etcdMember.js',
  up: 'deploy/up.js',
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
  api: 'api/index.js',
  raft: 'raft/index.js',
  server: 'server/index.js',
} as const;

export type ProgramName = keyof typeof programs;

/** Compiled or bundled, this code stands one folder below what was compiled. */
const compiled = new URL('../', import.meta.url);
/** The compiler's notes on the project that is built upon all that run as programs: it touches them whenever it has compiled one of these. */
const lastCompiled = new URL('deploy/tsconfig.tsbuildinfo', compiled);

/**
 * The file that runs as a program: the bundle, which starts in half the time, unless something was compiled after it was made (`bundle.mjs`); then the
 * module itself.
 */
export function programFile(name: ProgramName): string {
  const bundle = fileURLToPath(new URL(`programs/${name}.js`, compiled));
  const isCurrent = modifiedMs(bundle) > modifiedMs(fileURLToPath(lastCompiled));
  return isCurrent ? bundle : fileURLToPath(new URL(programs[name], compiled));
}

/** 0 when there is no such file. */
const modifiedMs = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
