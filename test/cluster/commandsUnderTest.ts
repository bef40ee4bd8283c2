import { ClusterCommands, kubectlRunsHere } from '../fixtures/kubectl.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import { ClusterUnderTest } from './clusterUnderTest.js';

/** A cluster with a controller manager, for tests by commands. */
export interface CommandsUnderTest {
  readonly test: ClusterUnderTest;
  readonly commands: ClusterCommands;
  readonly home: string;
}

/** Starts the cluster before the suite's tests and stops it after them. The tests skip where kubectl does not run. */
export function commandsUnderTest(ready: (started: CommandsUnderTest) => void): void {
  let test: ClusterUnderTest | undefined;
  before(async function () {
    if (!kubectlRunsHere) this.skip();
    test = await ClusterUnderTest.start({ managers: 1 });
    const home = temporaryDirectory('commands');
    ready({ test, home, commands: new ClusterCommands(test.cluster.kubeconfig, home) });
  });
  after(() => test?.stop());
}
