import { expect } from 'chai';
import { request } from 'node:http';
import { protobufDecode, protobufEncode } from '../../../../workers/codecs/protobuf/index.js';
import { call, type Answer, type Call } from './client.js';
import { startTestServer, type TestServer } from './harness.js';

const protobuf = 'application/vnd.kubernetes.protobuf';
const configMaps = '/api/v1/namespaces/default/configmaps';

describe('endpoints/encodings', () => {
  let server: TestServer;
  const send = (method: string, path: string, more?: Call): Promise<Answer> => call(server.url, method, path, more);
  const bytes = (path: string, accept: string, body?: Buffer): Promise<{ type: string; status: number; data: Buffer }> =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        `${server.url}${path}`,
        {
          method: body === undefined ? 'GET' : 'POST',
          headers: { accept, ...(body === undefined ? {} : { 'content-type': protobuf }) },
          agent: false,
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            resolve({ type: response.headers['content-type'] ?? '', status: response.statusCode ?? 0, data: Buffer.concat(chunks) });
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  const decoded = (data: Buffer): Record<string, unknown> => {
    const result = protobufDecode(data);
    if (!result.ok) throw new Error(result.message);
    return result.value as Record<string, unknown>;
  };

  beforeEach(async () => {
    server = await startTestServer();
    await send('POST', configMaps, { body: { metadata: { name: 'a' }, data: { k: 'v' } } });
    await send('POST', configMaps, { body: { metadata: { name: 'b' }, data: { k: 'w' } } });
  });
  afterEach(() => server.close());

  it('answers in Protobuf what it answers in JSON', async () => {
    const json = (await send('GET', `${configMaps}/a`)).body;
    const single = await bytes(`${configMaps}/a`, protobuf);
    expect(single.type).to.equal(protobuf);
    expect(decoded(single.data)).to.deep.equal(json);
    const list = decoded((await bytes(configMaps, protobuf)).data) as { kind: string; items: object[] };
    expect(list.kind).to.equal('ConfigMapList');
    expect(list.items).to.deep.equal((await send('GET', configMaps)).body['items']);
  });

  it('takes bodies in Protobuf and YAML', async () => {
    const encoded = protobufEncode({ kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'n' } });
    if (!encoded.ok) throw new Error(encoded.message);
    expect((await bytes('/api/v1/namespaces', 'application/json', encoded.bytes)).status).to.equal(201);
    const yaml = await send('POST', configMaps, { raw: 'metadata:\n  name: y1\ndata:\n  k: "1"\n', type: 'application/yaml' });
    expect(yaml.body['data']).to.deep.equal({ k: '1' });
  });

  it('writes lists and refusals in YAML', async () => {
    const list = await send('GET', configMaps, { headers: { accept: 'application/yaml' } });
    expect(list.text)
      .to.match(/^apiVersion: v1\nitems:\n- data:\n {4}k: v\n {2}metadata:\n/)
      .and.match(/\nkind: ConfigMapList\nmetadata:\n {2}resourceVersion: "\d+"\n$/);
    const refusal = await send('GET', `${configMaps}/absent`, { headers: { accept: 'application/yaml' } });
    expect(refusal.status).to.equal(404);
    expect(refusal.text).to.contain('reason: NotFound\n');
  });

  it('frames watch events by their length', async () => {
    const { type, data } = await bytes(`${configMaps}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Da`, protobuf);
    expect(type).to.equal(`${protobuf};stream=watch`);
    const length = data.readUInt32BE(0);
    expect(data.length).to.equal(4 + length);
    expect(data.subarray(4, 11).toString('latin1')).to.equal('\n\x05ADDED');
    expect(decoded(data.subarray(data.indexOf('k8s\0')))).to.have.nested.property('metadata.name', 'a');
  });

  it('tells of unknown and duplicate fields as loudly as it is asked to', async () => {
    const raw = '{"metadata":{"name":"c"},"data":{"k":"1","k":"2"},"extra":1}';
    const warned = await send('POST', `${configMaps}?dryRun=All`, { raw });
    expect(warned.headers['warning']).to.equal('299 - "duplicate field \\"data.k\\"", 299 - "unknown field \\"extra\\""');
    expect((await send('POST', `${configMaps}?dryRun=All&fieldValidation=Strict`, { raw })).status).to.equal(400);
    expect((await send('POST', `${configMaps}?dryRun=All&fieldValidation=Ignore`, { raw })).headers).not.to.have.property('warning');
    const patched = await send('PATCH', `${configMaps}/a`, { type: 'application/merge-patch+json', body: { extra: 1 } });
    expect(patched.headers['warning']).to.equal('299 - "unknown field \\"extra\\""');
  });
});
