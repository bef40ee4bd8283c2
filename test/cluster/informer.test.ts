import { expect } from 'chai';
import { ClusterUnderTest, configMap } from './clusterUnderTest.js';
import { asSeen, RecordingInformer, type Seen } from './recordingInformer.js';
import { Writers } from './writers.js';

describe('cluster/informer', function () {
  let test: ClusterUnderTest;
  const recorders: RecordingInformer[] = [];
  before(async () => {
    test = await ClusterUnderTest.start();
  });
  afterEach(async () => {
    for (const recorder of recorders.splice(0)) await recorder.stop();
  });
  after(() => test?.stop());

  async function record(namespace: string): Promise<RecordingInformer> {
    const recorder = new RecordingInformer(test.cluster.kubeconfig, namespace);
    recorders.push(recorder);
    await recorder.start();
    return recorder;
  }

  it('sees what exists, and then every change once and in order', async () => {
    const path = await test.namespace('informer');
    const expected: Seen[] = [];
    const write = async (type: Seen[0], method: string, name: string, n: number): Promise<void> => {
      const target = method === 'POST' ? path : `${path}/${name}`;
      const object = await test.client.expect(
        method === 'POST' ? 201 : 200,
        method,
        target,
        method === 'DELETE' ? {} : { body: configMap(name, { n: String(n) }) },
      );
      // Only the event has the deletion's version.
      expected.push([type, name, type === 'DELETED' ? '' : object.metadata.resourceVersion]);
    };
    for (let i = 0; i < 3; i++) await write('ADDED', 'POST', `old${i}`, 0);
    const recorder = await record('informer');
    for (let i = 0; i < 20; i++) {
      await write('ADDED', 'POST', `new${i}`, 0);
      await write('MODIFIED', 'PUT', `new${i}`, 1);
      await write('MODIFIED', 'PUT', 'old1', i + 1);
      if (i % 2 === 0) await write('DELETED', 'DELETE', `new${i}`, 0);
    }
    await recorder.until((seen) => seen.length >= expected.length);
    expect(recorder.seen.map(([type, name, version]) => [type, name, type === 'DELETED' ? '' : version])).to.deep.equal(expected);
    expect(recorder.errors).to.deep.equal([]);
  });

  it('sees every change once and in order while the leader is killed', async () => {
    const path = await test.namespace('informer-failover');
    const { metadata } = await test.client.expect(200, 'GET', path);
    const recorder = await record('informer-failover');
    const writers = new Writers(test.client, path, 2);
    await writers.until(50);
    const leader = await test.leader();
    const killedMs = performance.now();
    await test.kill(leader);
    await writers.until(50, killedMs);
    await writers.stop();
    await leader.restart();

    // Replicas that saw everything; the restarted one lacks events from before its start.
    const last = await test.client.expect(201, 'POST', path, { body: configMap('last') });
    const histories: Seen[][] = [];
    for (const member of test.members.filter((other) => other !== leader)) {
      const watch = test.at(member).watch(`${path}?watch=1&resourceVersion=${metadata.resourceVersion}`);
      await watch.until((events) => events.some(({ object }) => object.metadata.name === 'last'));
      histories.push(watch.events.filter(({ type }) => type !== 'BOOKMARK').map(asSeen));
      watch.close();
    }
    expect(histories[1]).to.deep.equal(histories[0]);
    await recorder.until((seen) => seen.some(([, name]) => name === 'last'));
    expect(recorder.seen).to.deep.equal(histories[0]);
    const versions = new Map((histories[0] ?? []).map(([, name, version]) => [name, version]));
    for (const { name, resourceVersion } of [...writers.acknowledged, { name: 'last', resourceVersion: last.metadata.resourceVersion }]) {
      expect(versions.get(name), name).to.equal(resourceVersion);
    }
  });
});
