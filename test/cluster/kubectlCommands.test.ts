import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { agedKubectls } from '../clients/agedClients.js';
import { filesOf, kubectlWalk } from '../clients/kubectlCommands.js';
import { ClusterCommands, kubectlRunsHere } from '../fixtures/kubectl.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import { ClusterUnderTest } from './clusterUnderTest.js';
import { signingRequest } from '../fixtures/signingRequest.js';

describe('cluster/kubectl commands', function () {
  this.timeout(300_000);
  let test: ClusterUnderTest;
  let request = '';

  before(async function () {
    if (!kubectlRunsHere) this.skip();
    request = await signingRequest('walker');
    test = await ClusterUnderTest.start({ replicas: 1, managers: 1, fakeNodes: 2 });
  });

  after(async () => {
    await test?.stop();
  });

  async function walk(suffix: string, program?: string): Promise<void> {
    const home = temporaryDirectory(`walk-${suffix}`);
    for (const [name, text] of Object.entries(filesOf(suffix))) {
      fs.mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
      fs.writeFileSync(path.join(home, name), text);
    }
    const commands = new ClusterCommands(test.cluster.kubeconfig, home, program);
    const wrong: string[] = [];
    for (const { args, input, prints, status = 0, environment, endless } of kubectlWalk({
      suffix,
      node: 'fake-node-1',
      signingRequest: request,
    })) {
      const finished =
        endless === true ? await commands.until(prints, 'kubectl', args) : await commands.try('kubectl', args, input, environment);
      const printed = `${finished.stdout}${finished.stderr}`;
      if (finished.status !== status || !prints.test(printed))
        wrong.push(`kubectl ${args.join(' ')}\nended with ${finished.status}, wanted ${status} and ${String(prints)}\n${printed}`);
    }
    expect(wrong.join('\n')).to.equal('');
  }

  it('do what they are documented to do', () => walk('now'));

  for (const [release, program] of agedKubectls()) it(`do so in release ${release}`, () => walk(release.replace('.', ''), program));
});
