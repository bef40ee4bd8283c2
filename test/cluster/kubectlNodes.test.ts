import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { WebSocketServer } from 'ws';
import { FakeAgent } from '../fixtures/fakeAgent.js';
import { ClusterCommands, kubectlRunsHere } from '../fixtures/kubectl.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import { ClusterUnderTest } from './clusterUnderTest.js';

/** First byte of the messages of a remote command (`v5.channel.k8s.io`). */
const [stdout, outcome] = [1, 3];
const onChannel = (channel: number, text: string): Buffer => Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);

describe('cluster/kubectl and nodes', function () {
  let agent: FakeAgent;
  let test: ClusterUnderTest;
  let commands: ClusterCommands;
  const home = temporaryDirectory('nodes');

  before(async function () {
    if (!kubectlRunsHere) this.skip();
    agent = await FakeAgent.start();
    const file = (name: string, text: string | Buffer): string => {
      fs.writeFileSync(path.join(home, name), text);
      return path.join(home, name);
    };
    test = await ClusterUnderTest.start({
      replicas: 1,
      apiserverFlags: [
        `--kubelet-certificate-authority=${file('ca.crt', agent.ca)}`,
        `--kubelet-client-certificate=${file('client.crt', agent.client.certificate)}`,
        `--kubelet-client-key=${file('client.key', agent.client.key)}`,
        '--kubelet-preferred-address-types=ExternalIP,InternalIP',
        '--kubelet-timeout=5s',
        '--disable-admission-plugins=ServiceAccount',
        '--enable-admission-plugins=AlwaysPullImages',
      ],
    });
    commands = new ClusterCommands(test.cluster.kubeconfig, home);
    const { client } = test;
    await client.expect(201, 'POST', '/api/v1/nodes', { body: { metadata: { name: 'n' } } });
    const status = {
      addresses: [
        { type: 'Hostname', address: 'nowhere.invalid' },
        { type: 'InternalIP', address: '127.0.0.1' },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: agent.port } },
    };
    await client.expect(200, 'PATCH', '/api/v1/nodes/n/status', { type: 'application/merge-patch+json', body: { status } });
    await client.expect(201, 'POST', '/api/v1/namespaces/default/pods', {
      body: { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } },
    });
    await client.expect(200, 'PATCH', '/api/v1/namespaces/default/pods/p/status', {
      type: 'application/merge-patch+json',
      body: { status: { phase: 'Running' } },
    });
  });
  after(async () => {
    await test?.stop();
    await agent?.close();
    fs.rmSync(home, { recursive: true, force: true });
  });

  it('brings logs from the agent that the options lead to', async () => {
    agent.answer = (_request, response) => {
      response.end('first\nsecond\n');
    };
    expect(await commands.kubectl('logs', 'p', '--tail=2', '--timestamps')).to.equal('first\nsecond\n');
    expect(agent.seen.at(-1)).to.include({ url: '/containerLogs/default/p/c?tailLines=2&timestamps=true', client: 'apiserver' });
  });

  it('runs a command in a container, as the agent tells how it went', async () => {
    const sockets = new WebSocketServer({ noServer: true, handleProtocols: (offered) => [...offered][0] ?? false });
    agent.upgrade = (request, socket, head) => {
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        webSocket.send(onChannel(stdout, 'from the container\n'));
        webSocket.send(onChannel(outcome, JSON.stringify({ metadata: {}, status: 'Success' })));
        webSocket.close(1000);
      });
    };
    const { status, stdout: printed, stderr } = await commands.try('kubectl', ['exec', 'p', '--', 'echo', 'hello']);
    expect([status, printed], stderr).to.deep.equal([0, 'from the container\n']);
    expect(agent.seen.at(-1)?.url).to.equal('/exec/default/p/c?command=echo&command=hello&error=1&output=1');
    sockets.close();
  });

  it('goes to no node through a proxy that says it is this machine', async () => {
    const { status, stderr } = await commands.try('kubectl', ['get', '--raw', '/api/v1/nodes/n/proxy/pods']);
    expect([status, stderr]).to.deep.equal([1, 'Error from server (BadRequest): address not allowed\n']);
  });

  it('follows the choice of admission plugins', async () => {
    const spec = JSON.parse(await commands.kubectl('get', 'pod', 'p', '-o', 'jsonpath={.spec}')) as {
      serviceAccountName?: string;
      containers: { imagePullPolicy: string }[];
    };
    expect([spec.serviceAccountName, spec.containers[0]?.imagePullPolicy]).to.deep.equal([undefined, 'Always']);
  });

  it('says what is wrong when the agent cannot be reached', async () => {
    await test.client.expect(200, 'PATCH', '/api/v1/nodes/n/status', {
      type: 'application/merge-patch+json',
      body: { status: { daemonEndpoints: { kubeletEndpoint: { Port: 1 } } } },
    });
    const { status, stderr } = await commands.try('kubectl', ['logs', 'p']);
    expect(status).to.equal(1);
    expect(stderr).to.contain(
      'Error from server (ServiceUnavailable): error dialing backend: 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1',
    );
  });
});
