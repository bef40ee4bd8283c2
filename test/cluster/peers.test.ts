import { expect } from 'chai';
import path from 'node:path';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import { ClusterUnderTest } from './clusterUnderTest.js';

/** Servers of different versions, as during an upgrade: each answers for all. */
describe('cluster/peers', function () {
  let test: ClusterUnderTest;
  before(async () => {
    const dataDirectory = temporaryDirectory('peers');
    const common = [
      '--feature-gates=UnknownVersionInteroperabilityProxy=true',
      `--peer-ca-file=${path.join(dataDirectory, 'pki', 'ca.crt')}`,
    ];
    test = await ClusterUnderTest.start({
      replicas: 3,
      dataDirectory,
      apiserverFlags: (id) => [...common, ...(id === 'r1' ? ['--runtime-config=storage.k8s.io/v1=false'] : [])],
    });
  });
  after(() => test?.stop());

  it('pass on what they do not serve to one that does, on behalf of who asks', async () => {
    const [old] = test.members;
    const client = test.at(old!);
    const classes = '/apis/storage.k8s.io/v1/storageclasses';
    const until = async (): Promise<void> => {
      while ((await client.request('GET', classes)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
    };
    await until();
    await client.expect(201, 'POST', classes, { body: { metadata: { name: 'fast' }, provisioner: 'example.org/p' } });
    const read = await test.at(test.members[1]!).expect(200, 'GET', `${classes}/fast`);
    expect((read as unknown as { provisioner: string }).provisioner).to.equal('example.org/p');
    const asked = await client.expect(200, 'GET', `${classes}/fast`);
    expect(asked['metadata']).to.deep.equal(read['metadata']);
    expect((await client.request('GET', '/apis/storage.k8s.io/v9/storageclasses')).status, 'what nobody serves').to.equal(404);
  });
});
