import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { startApiServer, type TestCluster } from '../../deploy/testing/index.js';
import { kubectlRunsHere, program } from '../fixtures/kubectl.js';
import { packageRoot } from '../fixtures/packageRoot.js';

/** The manifests that run this control plane inside another cluster, validated by this one. */
describe('cluster/hosted manifests', function () {
  let server: TestCluster;
  before(async function () {
    if (!kubectlRunsHere) this.skip();
    server = await startApiServer();
  });
  after(() => server?.stop());

  it('are accepted whole, with a strict reading of every member', () => {
    const args = ['--kubeconfig', server.kubeconfigPath, 'apply', '--dry-run=server', '--validate=strict', '-o', 'name', '-f'];
    const { status, stdout, stderr } = spawnSync(program('kubectl'), [...args, path.join(packageRoot, 'deploy', 'kubernetes')], {
      encoding: 'utf8',
    });
    expect(status, stderr).to.equal(0);
    expect(stderr, 'warnings').to.equal('');
    expect(stdout.trim().split('\n')).to.deep.equal([
      'service/raftplane',
      'service/raftplane-peers',
      'poddisruptionbudget.policy/raftplane',
      'statefulset.apps/raftplane',
      'deployment.apps/raftplane-controller-manager',
    ]);
  });
});
