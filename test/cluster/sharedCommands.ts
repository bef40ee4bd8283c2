import { ClusterCommands } from '../fixtures/kubectl.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import { ClusterUnderTest } from './clusterUnderTest.js';

/** One cluster, with a controller manager, for all files that only use it through commands: each keeps to objects of its own names. */
export interface CommandsUnderTest {
  readonly test: ClusterUnderTest;
  readonly commands: ClusterCommands;
  readonly home: string;
}

let started: Promise<CommandsUnderTest> | null = null;

export const sharedCommands = (): Promise<CommandsUnderTest> => (started ??= start());

async function start(): Promise<CommandsUnderTest> {
  const test = await ClusterUnderTest.start({ managers: 1 });
  const home = temporaryDirectory('commands');
  return { test, home, commands: new ClusterCommands(test.cluster.kubeconfig, home) };
}

// A hook of the whole run: it outlives every file that uses the cluster.
after(async () => {
  if (started !== null) await (await started).test.stop();
});
