import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { controllerProgram, isNotFound, loadKubeconfig, unless, type ControllerEnvironment } from '../../controllers/client/index.js';
import { discover } from '../../controllers/client/discovery.js';
import { type Deployment, deployments } from '../../api/types/apps/v1.js';
import { namespaces, pods, serviceAccounts } from '../../api/types/core/v1.js';
import { ClusterUnderTest } from './clusterUnderTest.js';

const protobuf = 'application/vnd.kubernetes.protobuf';
const replicas = 5;
const key = { namespace: 'work', name: 'web' };
const pollMs = 50;
/** Their items are made for each answer, with varying times. */
const madeUp: ReadonlySet<string> = new Set(['componentstatuses']);

describe('cluster/managerEncoding', function () {
  let test: ClusterUnderTest;
  const stopping = new AbortController();
  const programs: Promise<void>[] = [];
  after(async () => {
    stopping.abort();
    await Promise.all(programs);
    await test?.stop();
  });
  const client = (contentType: 'application/json' | typeof protobuf): ControllerEnvironment => {
    const program = controllerProgram(loadKubeconfig(test.cluster.kubeconfig), {
      name: 'test',
      signal: stopping.signal,
      qps: -1,
      contentType,
      log: () => undefined,
    });
    for (const type of [pods, deployments]) program.environment.informers.of(type as typeof pods);
    programs.push(program.run());
    return program.environment;
  };

  it('brings a deployment to its pods in Protobuf, each controller as itself, and everything looks as it does in JSON', async () => {
    test = await ClusterUnderTest.start({ replicas: 1, managers: 1, fakeNodes: 2, managerFlags: [`--kube-api-content-type=${protobuf}`] });
    const [ours, json] = [client(protobuf), client('application/json')];
    await ours.api.create(namespaces, { metadata: { name: key.namespace } });
    while (!(await unless(isNotFound, ours.api.get(serviceAccounts, { namespace: key.namespace, name: 'default' })))) await delay(pollMs);
    const labels = { app: 'web' };
    await ours.api.create(deployments, {
      metadata: key,
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'x' }] } },
      },
    } as Deployment);
    const available = (): number => ours.informers.of(deployments).cache.get('work/web')?.status?.availableReplicas ?? 0;
    while (available() < replicas) await delay(pollMs);
    expect(ours.informers.of(pods).cache.inNamespace('work')).to.have.length(replicas);
    const { all } = await discover(ours.api);
    for (const type of all.filter(({ verbs, resource }) => verbs.has('list') && !madeUp.has(resource))) {
      for (const metadataOnly of [false, true]) {
        // Leases and heartbeats change between two lists, so only unchanged objects are compared.
        const [left, right] = await Promise.all(
          [ours, json].map(
            async ({ api }) =>
              new Map(
                (await api.list(type, { metadataOnly })).items.map((item) => [
                  `${item.metadata.uid} ${item.metadata.resourceVersion}`,
                  item,
                ]),
              ),
          ),
        );
        for (const [version, item] of left ?? [])
          if (right?.has(version)) expect(item, `${type.resource} ${String(metadataOnly)}`).to.deep.equal(right.get(version));
      }
    }
    const log = fs.readFileSync(path.join(test.cluster.dataDirectory, 'logs', 'cm1.log'), 'utf8');
    expect(log.split('\n').filter((line) => / E .*cannot be read/.test(line))).to.deep.equal([]);
  });

  it('learns in Protobuf why it was refused', async () => {
    const { api } = client(protobuf);
    const refused = await api.create(deployments, { metadata: key, spec: {} } as Deployment).catch((error: unknown) => error);
    expect(refused).to.include({ code: 422, reason: 'Invalid' });
    expect(await api.get(pods, { namespace: 'work', name: 'none' }).catch((error: unknown) => error)).to.include({
      code: 404,
      reason: 'NotFound',
      message: 'pods "none" not found',
    });
  });
});
