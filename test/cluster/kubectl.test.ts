import { expect } from 'chai';
import { parse } from 'yaml';
import type { ClusterCommands } from '../fixtures/kubectl.js';
import { commandsUnderTest } from './commandsUnderTest.js';
import type { ApiObject } from '../fixtures/apiClient.js';

const manifest = (color: string): string => `apiVersion: v1
kind: ConfigMap
metadata:
  name: paint
  labels:
    app: shop
data:
  color: ${color}
`;

describe('cluster/kubectl', function () {
  let commands: ClusterCommands;

  commandsUnderTest((started) => {
    ({ commands } = started);
  });

  const paint = async (): Promise<ApiObject> => parse(await commands.kubectl('get', 'configmap', 'paint', '-o', 'yaml')) as ApiObject;

  it('tells the version of the server', async () => {
    const { serverVersion } = JSON.parse(await commands.kubectl('version', '-o', 'json')) as {
      serverVersion: { major: string; minor: string };
    };
    expect(`${serverVersion.major}.${serverVersion.minor}`).to.equal('1.36');
  });

  it('lists the API resources', async () => {
    const lines = (await commands.kubectl('api-resources')).split('\n').map((line) => line.split(/\s+/));
    const row = (name: string): string[] => lines.find(([first]) => first === name) ?? [];
    expect(row('configmaps')).to.include.members(['cm', 'v1', 'true', 'ConfigMap']);
    expect(row('deployments')).to.include.members(['deploy', 'apps/v1', 'true', 'Deployment']);
    expect(row('namespaces')).to.include.members(['ns', 'v1', 'false', 'Namespace']);
  });

  it('gets the namespaces of an empty cluster as a table', async () => {
    const lines = (await commands.kubectl('get', 'namespaces')).trim().split('\n');
    expect(lines[0]).to.match(/^NAME\s+STATUS\s+AGE$/);
    expect(lines.slice(1).map((line) => line.split(/\s+/)[0])).to.have.members([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
    ]);
  });

  it('applies a manifest: created, unchanged, configured', async () => {
    expect(await commands.kubectlWithInput(manifest('red'), 'apply', '-f', '-')).to.contain('configmap/paint created');
    expect(await commands.kubectlWithInput(manifest('red'), 'apply', '-f', '-')).to.contain('configmap/paint unchanged');
    expect(await commands.kubectlWithInput(manifest('green'), 'apply', '-f', '-')).to.contain('configmap/paint configured');
    const { data, metadata } = await paint();
    expect(data).to.deep.equal({ color: 'green' });
    expect(metadata.namespace).to.equal('default');
    expect(metadata.uid).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('labels, annotates, and takes both off again', async () => {
    await commands.kubectl('label', 'configmap', 'paint', 'tier=front');
    await commands.kubectl('annotate', 'configmap', 'paint', 'example.com/note=hello');
    expect((await paint()).metadata)
      .to.deep.include({ labels: { app: 'shop', tier: 'front' } })
      .and.to.have.nested.property('annotations.example\\.com/note', 'hello');
    expect(await commands.kubectl('get', 'configmap', '-l', 'tier=front', '-o', 'name')).to.equal('configmap/paint\n');
    await commands.kubectl('label', 'configmap', 'paint', 'tier-');
    await commands.kubectl('annotate', 'configmap', 'paint', 'example.com/note-');
    expect((await paint()).metadata.labels).to.deep.equal({ app: 'shop' });
  });

  it('watches while others change things', async () => {
    const watch = commands.start('kubectl', [
      'get',
      'configmap',
      '-l',
      'watched=yes',
      '-w',
      '-o',
      'jsonpath={.metadata.name} {.data.n}{"\\n"}',
    ]);
    let seen = '';
    const saw = (text: string): Promise<void> =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (seen.includes(text)) resolve();
        };
        watch.stdout?.on('data', look);
        watch.once('exit', () => reject(new Error(`kubectl ended; it printed ${JSON.stringify(seen)}`)));
        look();
      });
    watch.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      seen += chunk;
    });
    await commands.kubectl('create', 'configmap', 'watched', '--from-literal=n=1');
    await commands.kubectl('label', 'configmap', 'watched', 'watched=yes');
    await saw('watched 1\n');
    await commands.kubectl('patch', 'configmap', 'watched', '--type=merge', '-p', '{"data":{"n":"2"}}');
    await saw('watched 2\n');
    watch.removeAllListeners('exit');
    watch.kill('SIGKILL');
  });

  it('deletes, and says what is not there', async () => {
    expect(await commands.kubectl('delete', 'configmap', 'paint')).to.contain('"paint" deleted');
    const { status, stderr } = await commands.try('kubectl', ['get', 'configmap', 'paint']);
    expect(status).to.equal(1);
    expect(stderr).to.contain('Error from server (NotFound): configmaps "paint" not found');
  });
});
