import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { nodes, services } from '../../../api/types/core/v1.js';
import { systemClock } from '../../../controllers/client/clock.js';
import { Connection } from '../../../controllers/client/connection.js';
import { RestApi } from '../../../controllers/client/rest.js';
import { startControllerManager, type Clouds, type RunningManager } from '../../../controllers/index.js';
import { startApiServer, type RunningServer } from '../../../server/index.js';
import { packageRoot } from '../../fixtures/packageRoot.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';

const loopback = ['--bind-address=127.0.0.1', '--secure-port=0'];
const ofClouds = 'cloud-node-controller,cloud-node-lifecycle-controller,service-lb-controller,node-route-controller,node-ipam-controller';
const taint = { key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' };

describe('a controller manager with a cloud of its own', () => {
  const directory = temporaryDirectory('clouds');
  const kubeconfig = path.join(directory, 'kubeconfig');
  let server: RunningServer;
  let manager: RunningManager;
  let api: RestApi;
  let connection: Connection;

  before(async () => {
    const tokens = path.join(directory, 'tokens.csv');
    fs.writeFileSync(tokens, 'secret,admin,1,system:masters\n');
    server = await startApiServer([...loopback, '--storage-backend=memory', `--cert-dir=${directory}`, `--token-auth-file=${tokens}`]);
    await server.ready;
    const certificate = path.join(directory, 'apiserver.crt');
    const cluster = { server: server.url, 'certificate-authority': certificate };
    fs.writeFileSync(
      kubeconfig,
      JSON.stringify({
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster }],
        users: [{ name: 'u', user: { token: 'secret' } }],
      }),
    );
    connection = new Connection(
      { server: server.url, token: () => 'secret', ca: fs.readFileSync(certificate, 'utf8') },
      { clock: systemClock },
    );
    api = new RestApi({ connection, userAgent: 'test', clock: systemClock, retries: 0 });
  });
  after(async () => {
    await manager?.stop();
    connection?.close();
    await server?.stop();
  });

  it('runs the controllers of clouds, as the example has it', async () => {
    const { memoryCloud } = (await import(pathToFileURL(path.join(packageRoot, 'examples/cloud/memoryCloud.mjs')).href)) as {
      readonly memoryCloud: Clouds[string];
    };
    const configuration = path.join(directory, 'cloud.json');
    fs.writeFileSync(configuration, '{"zone":"here"}');
    const args = [
      ...loopback,
      `--kubeconfig=${kubeconfig}`,
      '--leader-elect=false',
      `--controllers=${ofClouds}`,
      '--cloud-provider=memory',
      `--cloud-config=${configuration}`,
      '--allocate-node-cidrs',
      '--cluster-cidr=10.244.0.0/16',
      '--route-reconciliation-period=100ms',
    ];
    manager = await startControllerManager(args, { clouds: { memory: memoryCloud } });
    await api.create(nodes, { metadata: { name: 'n1' }, spec: { taints: [taint] } });
    await api.create(services, { metadata: { name: 's', namespace: 'default' }, spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } });
    const until = async <T>(look: () => Promise<T>, holds: (value: T) => boolean): Promise<T> => {
      for (;;) {
        const value = await look();
        if (holds(value)) return value;
        await new Promise(setImmediate);
      }
    };
    const node = await until(
      () => api.get(nodes, { namespace: '', name: 'n1' }),
      ({ status }) => status?.addresses !== undefined && status.conditions?.some(({ type }) => type === 'NetworkUnavailable') === true,
    );
    expect(node.spec?.providerID).to.equal('memory://kubernetes/n1');
    expect(node.spec?.taints ?? []).to.not.deep.include(taint);
    expect(node.metadata.labels).to.deep.include({ 'topology.kubernetes.io/zone': 'here' });
    expect(node.status?.addresses).to.deep.include({ type: 'InternalIP', address: '192.0.2.1' });
    expect(node.status?.conditions?.find(({ type }) => type === 'NetworkUnavailable')).to.include({
      status: 'False',
      reason: 'RouteCreated',
    });
    const balanced = await until(
      () => api.get(services, { namespace: 'default', name: 's' }),
      ({ status }) => status?.loadBalancer?.ingress !== undefined,
    );
    expect(balanced.status?.loadBalancer?.ingress).to.deep.equal([{ ip: '203.0.113.1', ipMode: 'VIP' }]);
  });

  it('refuses clouds that nobody brings', async () => {
    const refusal = await startControllerManager(['--cloud-provider=other']).then(
      () => '',
      (error: Error) => error.message,
    );
    expect(refusal).to.match(/--cloud-provider/);
  });
});
