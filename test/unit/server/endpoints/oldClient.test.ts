import { expect } from 'chai';
import { request, type IncomingMessage } from 'node:http';
import type { JsonObject } from '../../../../api/object.js';
import { openWatchEvent } from '../../../../workers/codecs/protobuf/watchEvent.js';
import { protobufDecode, protobufEncode, protobufMediaType } from '../../../../workers/codecs/protobuf/index.js';
import { startTestServer, type TestServer } from './harness.js';

/** A client like controllers of release 1.28: it uses Protobuf, lists before it watches, and requests a form of discovery that is gone. */
interface Answer {
  readonly status: number;
  readonly type: string;
  readonly object: JsonObject;
}

class OldClient {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Sends `body` in Protobuf, except patches, which lack that form. */
  async send(method: string, path: string, body?: JsonObject, patch?: string): Promise<Answer> {
    const raw = body === undefined ? undefined : patch === undefined ? inProtobuf(body) : Buffer.from(JSON.stringify(body));
    const response = await this.#open(method, path, `${protobufMediaType},application/json`, raw, patch ?? protobufMediaType);
    const bytes = await wholeOf(response);
    const type = response.headers['content-type'] ?? '';
    return { status: response.statusCode ?? 0, type, object: type === protobufMediaType ? fromProtobuf(bytes) : parsed(bytes) };
  }

  /** It supports only JSON. */
  async discover(path: string): Promise<Answer> {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';
    const response = await this.#open('GET', path, accept);
    return { status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', object: parsed(await wholeOf(response)) };
  }

  /** Events in order: type and object. */
  async *watch(path: string): AsyncGenerator<readonly [type: string, object: JsonObject], void> {
    const response = await this.#open('GET', `${path}${path.includes('?') ? '&' : '?'}watch=true&timeoutSeconds=60`, protobufMediaType);
    expect(response.headers['content-type']).to.equal(`${protobufMediaType};stream=watch`);
    let left: Buffer = Buffer.alloc(0);
    for await (const chunk of response) {
      left = Buffer.concat([left, chunk as Buffer]);
      while (left.length >= 4 && left.length >= 4 + left.readUInt32BE(0)) {
        const end = 4 + left.readUInt32BE(0);
        const event = openWatchEvent(left.subarray(4, end));
        if (!event.ok) throw new Error(event.message);
        yield [event.type, fromProtobuf(event.object)];
        left = left.subarray(end);
      }
    }
    expect(left.length, 'half an event at the end').to.equal(0);
  }

  #open(method: string, path: string, accept: string, raw?: Buffer, type?: string): Promise<IncomingMessage> {
    const headers = {
      accept,
      'user-agent': 'old/v1.28.0',
      ...(raw === undefined ? {} : { 'content-type': type, 'content-length': raw.length }),
    };
    return new Promise((resolve, reject) => {
      request(`${this.#url}${path}`, { method, headers, agent: false }, resolve).on('error', reject).end(raw);
    });
  }
}

const wholeOf = async (response: IncomingMessage): Promise<Buffer> => Buffer.concat((await response.toArray()) as Buffer[]);
const parsed = (bytes: Buffer): JsonObject => JSON.parse(bytes.toString()) as JsonObject;
function inProtobuf(object: JsonObject): Buffer {
  const encoded = protobufEncode(object);
  if (!encoded.ok) throw new Error(encoded.message);
  return encoded.bytes;
}
function fromProtobuf(bytes: Buffer): JsonObject {
  const decoded = protobufDecode(bytes);
  if (!decoded.ok) throw new Error(decoded.message);
  return decoded.value as JsonObject;
}

const object = (apiVersion: string, kind: string, name: string, content: JsonObject = {}): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'default' },
  ...content,
});
const labels = { app: 'old' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const deployment = object('apps/v1', 'Deployment', 'd', { spec: { replicas: 1, selector: { matchLabels: labels }, template } });
const pods = '/api/v1/namespaces/default/pods';
const configMaps = '/api/v1/namespaces/default/configmaps';
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const member = (of: JsonObject, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], of);
const versionOf = (of: JsonObject): string => String(member(of, 'metadata', 'resourceVersion'));

describe('endpoints/clients of release 1.28', () => {
  let server: TestServer;
  let client: OldClient;
  beforeEach(async () => {
    server = await startTestServer();
    client = new OldClient(server.url);
  });
  afterEach(() => server.close());

  it('are shown groups one by one instead of the form that they would rather have', async () => {
    for (const [path, kind] of [
      ['/api', 'APIVersions'],
      ['/apis', 'APIGroupList'],
      ['/apis/apps', 'APIGroup'],
      ['/api/v1', 'APIResourceList'],
      ['/apis/apps/v1', 'APIResourceList'],
    ] as const) {
      const { status, type, object } = await client.discover(path);
      expect([status, type, object['kind']], path).to.deep.equal([200, 'application/json', kind]);
      const inTheirs = await client.send('GET', path);
      expect([inTheirs.status, inTheirs.type], path).to.deep.equal([200, protobufMediaType]);
      expect(inTheirs.object, path).to.deep.equal(object);
    }
  });

  it('write, change and remove objects without a word of JSON', async () => {
    const made = await client.send('POST', deployments, deployment);
    expect([made.status, made.type, made.object['kind']]).to.deep.equal([201, protobufMediaType, 'Deployment']);
    expect(member(made.object, 'spec', 'strategy', 'type')).to.equal('RollingUpdate');

    const spec = { ...(made.object['spec'] as JsonObject), replicas: 2 };
    const put = await client.send('PUT', `${deployments}/d`, { ...made.object, spec });
    expect([put.status, member(put.object, 'spec', 'replicas'), member(put.object, 'metadata', 'generation')]).to.deep.equal([200, 2, 2]);

    const status = { observedGeneration: 2, replicas: 2 };
    const reported = await client.send('PUT', `${deployments}/d/status`, { ...put.object, status });
    expect([reported.status, member(reported.object, 'status', 'replicas')]).to.deep.equal([200, 2]);

    const scale = await client.send('GET', `${deployments}/d/scale`);
    expect([scale.object['kind'], member(scale.object, 'spec', 'replicas')]).to.deep.equal(['Scale', 2]);
    const scaled = await client.send('PUT', `${deployments}/d/scale`, { ...scale.object, spec: { replicas: 3 } });
    expect([scaled.status, member(scaled.object, 'spec', 'replicas')]).to.deep.equal([200, 3]);

    const patched = await client.send('PATCH', `${deployments}/d`, { spec: { paused: true } }, 'application/strategic-merge-patch+json');
    expect([patched.type, member(patched.object, 'spec', 'paused')]).to.deep.equal([protobufMediaType, true]);

    const options = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: String(member(made.object, 'metadata', 'uid')) } };
    const removed = await client.send('DELETE', `${deployments}/d`, options);
    expect([removed.status, removed.type, removed.object['status']]).to.deep.equal([200, protobufMediaType, 'Success']);
    const gone = await client.send('GET', `${deployments}/d`);
    expect([gone.status, gone.type, gone.object['reason']]).to.deep.equal([404, protobufMediaType, 'NotFound']);
  });

  it('learn in Protobuf why something is refused', async () => {
    const made = await client.send('POST', configMaps, object('v1', 'ConfigMap', 'c', { data: { a: 'b' } }));
    const again = await client.send('POST', configMaps, object('v1', 'ConfigMap', 'c'));
    expect([again.status, again.type, again.object['reason']]).to.deep.equal([409, protobufMediaType, 'AlreadyExists']);
    await client.send('PUT', `${configMaps}/c`, { ...made.object, data: { a: 'c' } });
    const late = await client.send('PUT', `${configMaps}/c`, { ...made.object, data: { a: 'd' } });
    expect([late.status, late.object['reason']]).to.deep.equal([409, 'Conflict']);
    const wrong = await client.send('POST', configMaps, object('v1', 'ConfigMap', 'A_b'));
    expect([wrong.status, member(wrong.object, 'details', 'causes', '0', 'field')]).to.deep.equal([422, 'metadata.name']);
  });

  it('bind and evict pods, ask who they are, and what they may', async () => {
    await client.send('POST', pods, object('v1', 'Pod', 'p', { spec: template.spec }));
    const target = { kind: 'Node', name: 'n' };
    const bound = await client.send('POST', `${pods}/p/binding`, object('v1', 'Binding', 'p', { target }));
    expect([bound.status, bound.object['status']]).to.deep.equal([201, 'Success']);
    expect(member((await client.send('GET', `${pods}/p`)).object, 'spec', 'nodeName')).to.equal('n');
    const evicted = await client.send('POST', `${pods}/p/eviction`, object('policy/v1', 'Eviction', 'p'));
    expect([evicted.status, evicted.type]).to.deep.equal([201, protobufMediaType]);
    const review = await client.send('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      metadata: {},
      spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
    });
    expect([review.status, member(review.object, 'status', 'allowed')]).to.deep.equal([201, true]);
  });

  it('list, and then follow from the version of the list', async () => {
    for (const name of ['a', 'b', 'c']) await client.send('POST', configMaps, object('v1', 'ConfigMap', name, { data: { k: name } }));
    const names: unknown[] = [];
    let [first, more]: [string, string] = ['', ''];
    do {
      const page = await client.send('GET', `${configMaps}?limit=2${more === '' ? '' : `&continue=${encodeURIComponent(more)}`}`);
      expect([page.type, page.object['kind']]).to.deep.equal([protobufMediaType, 'ConfigMapList']);
      names.push(...(page.object['items'] as JsonObject[]).map((item) => member(item, 'metadata', 'name')));
      more = String(member(page.object, 'metadata', 'continue') ?? '');
      first ||= versionOf(page.object);
      expect(versionOf(page.object)).to.equal(first);
    } while (more !== '');
    expect(names).to.deep.equal(['a', 'b', 'c']);

    const events = client.watch(`${configMaps}?resourceVersion=${first}&allowWatchBookmarks=true`);
    const d = (await client.send('POST', configMaps, object('v1', 'ConfigMap', 'd'))).object;
    await client.send('PUT', `${configMaps}/d`, { ...d, data: { k: 'changed' } });
    await client.send('DELETE', `${configMaps}/d`);
    const seen: unknown[] = [];
    for await (const [type, { kind, metadata, data }] of events) {
      seen.push([type, kind, member({ metadata: metadata ?? null }, 'metadata', 'name'), data]);
      if (type === 'DELETED') break;
    }
    expect(seen).to.deep.equal([
      ['ADDED', 'ConfigMap', 'd', undefined],
      ['MODIFIED', 'ConfigMap', 'd', { k: 'changed' }],
      ['DELETED', 'ConfigMap', 'd', { k: 'changed' }],
    ]);
  });

  it('are shown what there is when they follow from anywhere, and a bookmark where that ends', async () => {
    await client.send('POST', configMaps, object('v1', 'ConfigMap', 'a'));
    const seen: unknown[] = [];
    for await (const [type, found] of client.watch(`${configMaps}?resourceVersion=0&allowWatchBookmarks=true`)) {
      seen.push([type, found['kind'], member(found, 'metadata', 'name') ?? '']);
      if (type === 'BOOKMARK') break;
    }
    expect(seen).to.deep.equal([
      ['ADDED', 'ConfigMap', 'a'],
      ['BOOKMARK', 'ConfigMap', ''],
    ]);
  });

  it('read in an event that a version is gone, whereupon they list again', async () => {
    const seen: unknown[] = [];
    for await (const [type, found] of client.watch(`${configMaps}?resourceVersion=1`)) seen.push([type, found['kind'], found['code']]);
    expect(seen).to.deep.equal([['ERROR', 'Status', 410]]);
  });
});
