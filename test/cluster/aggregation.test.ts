import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { ClusterCommands, kubectlRunsHere } from '../fixtures/kubectl.js';
import type { JsonObject } from '../../api/object.js';
import { createIdentities } from '../fixtures/identities.js';
import { ClusterUnderTest } from './clusterUnderTest.js';

const group = 'remote.example.com';
const thing = { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'one', namespace: 'default' } };

const kind = [{ group, version: 'v1', kind: 'Thing' }];
const path = `/apis/${group}/v1/namespaces/{namespace}/things`;
const described: JsonObject = {
  description: 'A thing that somebody else keeps.',
  type: 'object',
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    spec: { type: 'object', description: 'What it should be.', properties: { colour: { type: 'string', description: 'Of its cover.' } } },
  },
  'x-kubernetes-group-version-kind': kind,
};
const listing = { 'x-kubernetes-action': 'list', 'x-kubernetes-group-version-kind': kind[0]! };
const answers = (schema: JsonObject): JsonObject => ({ 200: { description: 'OK', ...schema } });

/** Documents of another program's API, by path. */
const documents: Readonly<Record<string, JsonObject>> = {
  [`/apis/${group}/v1`]: {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: `${group}/v1`,
    resources: [{ name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: ['get', 'list'], shortNames: ['th'] }],
  },
  [`/apis/${group}/v1/namespaces/default/things`]: { kind: 'ThingList', apiVersion: `${group}/v1`, metadata: {}, items: [thing] },
  [`/apis/${group}/v1/namespaces/default/things/one`]: thing,
  '/openapi/v3': { paths: { [`apis/${group}/v1`]: { serverRelativeURL: `/openapi/v3/apis/${group}/v1?hash=A1` } } },
  [`/openapi/v3/apis/${group}/v1`]: {
    openapi: '3.0.0',
    info: { title: 'other', version: '1' },
    paths: {
      [path]: {
        get: {
          ...listing,
          responses: answers({ content: { 'application/json': { schema: { $ref: '#/components/schemas/com.example.Thing' } } } }),
        },
      },
    },
    components: { schemas: { 'com.example.Thing': described } },
  },
  '/openapi/v2': {
    swagger: '2.0',
    info: { title: 'other', version: '1' },
    paths: { [path]: { get: { ...listing, responses: answers({ schema: { $ref: '#/definitions/com.example.Thing' } }) } } },
    definitions: { 'com.example.Thing': described },
  },
};

describe('cluster/aggregation', function () {
  let cluster: ClusterUnderTest;
  let commands: ClusterCommands;
  let program: Server;
  const users = new Set<string>();

  before(async function () {
    if (!kubectlRunsHere) this.skip();
    const identities = await createIdentities();
    const { cert, key } = await identities.issue({ name: 'api', usage: 'serverAuth', dns: ['api.default.svc'] });
    program = createServer({ cert, key }, (request, response) => {
      users.add(String(request.headers['x-remote-user']));
      const document = documents[(request.url ?? '').split('?')[0] ?? ''];
      response
        .writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' })
        .end(
          JSON.stringify(
            document ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404, reason: 'NotFound', message: 'no such thing' },
          ),
        );
    });
    program.listen(0, '127.0.0.1');
    await once(program, 'listening');
    cluster = await ClusterUnderTest.start({ replicas: 3 });
    commands = new ClusterCommands(cluster.cluster.kubeconfig, cluster.cluster.dataDirectory);
    await apply({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'api', namespace: 'default' },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    });
    await apply({
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `v1.${group}` },
      spec: {
        group: group,
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 10,
        caBundle: Buffer.from(identities.ca).toString('base64'),
        service: { namespace: 'default', name: 'api', port: (program.address() as AddressInfo).port },
      },
    });
  });
  after(async () => {
    program?.close();
    program?.closeAllConnections();
    await cluster?.stop();
  });
  const apply = (object: JsonObject): Promise<string> => commands.kubectlWithInput(JSON.stringify(object), 'apply', '-f', '-');

  it('lets kubectl use what another program serves', async () => {
    await commands.kubectl('wait', '--for=condition=Available', `apiservice/v1.${group}`, '--timeout=60s');
    // Waits until each replica has found it.
    for (const member of cluster.members)
      while ((await cluster.at(member).request('GET', `/apis/${group}/v1`)).status !== 200) await new Promise(setImmediate);
    expect(await commands.kubectl('get', 'th', '-o', 'name')).to.equal(`thing.${group}/one\n`);
    expect((await commands.try('kubectl', ['get', 'th', 'two'])).stderr).to.contain('no such thing');
    expect([...users])
      .to.include('system:kube-aggregator')
      .and.to.have.length.above(1);
  });

  it('lets kubectl explain what another program describes', async () => {
    for (const member of cluster.members)
      while (!JSON.stringify((await cluster.at(member).request('GET', '/openapi/v3')).body).includes(`${group}/v1?hash=A1`))
        await new Promise(setImmediate);
    const explained = await commands.kubectl('explain', 'things.spec', `--api-version=${group}/v1`);
    expect(explained)
      .to.match(/KIND: +Thing/)
      .and.to.contain('What it should be.')
      .and.to.match(/colour\s+<string>\n\s+Of its cover\./);
    for (const member of cluster.members)
      while (!JSON.stringify((await cluster.at(member).request('GET', '/openapi/v2')).body).includes('com.example.Thing'))
        await new Promise(setImmediate);
    // Old clients read version 2: one document of everything, in Protobuf.
    expect(await commands.kubectl('explain', 'pods.spec.containers')).to.contain('imagePullPolicy');
  });

  it('tells who cannot be reached', async () => {
    program.close();
    program.closeAllConnections();
    await commands.kubectl('wait', '--for=condition=Available=false', `apiservice/v1.${group}`, '--timeout=60s');
    expect((await commands.try('kubectl', ['get', 'th'])).stderr).to.contain('ServiceUnavailable');
    expect(await commands.kubectl('get', 'namespaces', '-o', 'name')).to.contain('namespace/default');
  });
});
