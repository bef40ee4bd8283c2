import { expect } from 'chai';
import { request, type IncomingHttpHeaders } from 'node:http';
import { cborCodec } from '../../../../workers/codecs/cbor.js';
import type { JsonObject } from '../../../../api/object.js';
import { decoded, selfDescribed, sequence } from './cborSequence.js';
import { startTestServer, type TestServer } from './harness.js';

const cbor = 'application/cbor';
const configMaps = '/api/v1/namespaces/default/configmaps';

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly headers: IncomingHttpHeaders;
  readonly data: Buffer;
}
interface Call {
  readonly accept?: string;
  readonly body?: Buffer;
  readonly type?: string;
}

/** A second may pass between two requests for one Table. */
const ageless = (list: unknown): unknown =>
  JSON.parse(JSON.stringify(list), (name, value: unknown) =>
    name === 'cells' && Array.isArray(value) ? value.filter((cell) => !/^\d+s$/.test(String(cell))) : value,
  );

describe('endpoints/cbor', function () {
  let server: TestServer;
  const send = (method: string, path: string, { accept = cbor, body, type = cbor }: Call = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        `${server.url}${path}`,
        {
          method,
          headers: { accept, ...(body === undefined ? {} : { 'content-type': type, 'content-length': body.length }) },
          agent: false,
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            resolve({
              status: response.statusCode ?? 0,
              type: response.headers['content-type'] ?? '',
              headers: response.headers,
              data: Buffer.concat(chunks),
            });
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  const json = async (path: string, accept = 'application/json'): Promise<JsonObject> =>
    JSON.parse((await send('GET', path, { accept })).data.toString()) as JsonObject;
  const create = (object: object, accept = cbor): Promise<Answer> => send('POST', configMaps, { accept, body: cborCodec.encode(object) });

  describe('behind its gate', () => {
    before(async () => {
      server = await startTestServer(undefined, { endpoints: { cbor: true } });
    });
    after(() => server.close());

    it('takes bodies and answers with what it answers in JSON', async () => {
      const created = await create({
        metadata: { name: 'a', labels: { l: 'a' } },
        data: { k: 'v', other: 'ü😀' },
        binaryData: { b: 'AAEC' },
      });
      expect(created).to.include({ status: 201, type: cbor });
      expect(created.data.toString('hex').startsWith(selfDescribed)).to.equal(true);
      expect(decoded(created.data)).to.deep.equal(await json(`${configMaps}/a`));
      expect(created.data.toString('hex'), 'bytes').to.contain('4162d643000102');
      expect(created.data.toString('hex'), 'times are text').to.contain(Buffer.from('\x51creationTimestamp\x54').toString('hex'));
      const changed = await send('PUT', `${configMaps}/a`, { body: cborCodec.encode({ ...decoded(created.data), data: { k: 'w' } }) });
      expect(decoded(changed.data)).to.have.nested.property('data.k', 'w');
    });

    it('keeps whole numbers whole and large ones large', async () => {
      const spec = {
        containers: [{ name: 'c', image: 'i' }],
        activeDeadlineSeconds: 2_147_483_647,
        tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 9_007_199_254_740_993n }],
      };
      const answer = await send('POST', '/api/v1/namespaces/default/pods?dryRun=All', {
        body: cborCodec.encode({ metadata: { name: 'p' }, spec }),
      });
      expect(answer.status, answer.data.toString()).to.equal(201);
      expect(decoded(answer.data)).to.have.nested.property('spec.tolerations[0].tolerationSeconds', 9_007_199_254_740_993n);
      const float = await send('POST', '/api/v1/namespaces/default/pods?dryRun=All', {
        body: cborCodec.encode({ metadata: { name: 'p' }, spec: { ...spec, activeDeadlineSeconds: 1.5 } }),
      });
      expect(decoded(float.data)['message']).to.match(/^Pod in version "v1" cannot be handled as a Pod: /);
    });

    it('lists, in pages too, as tables and as metadata alone', async () => {
      await create({ metadata: { name: 'b' } });
      const list = decoded((await send('GET', configMaps)).data);
      expect(list).to.deep.equal(await json(configMaps));
      const page = decoded((await send('GET', `${configMaps}?limit=1`)).data) as { metadata: JsonObject; items: object[] };
      expect(page.items).to.have.length(1);
      expect(page.metadata['continue']).to.be.a('string');
      for (const form of ['as=Table;g=meta.k8s.io;v=v1', 'as=PartialObjectMetadataList;g=meta.k8s.io;v=v1']) {
        const answer = await send('GET', configMaps, { accept: `${cbor};${form}` });
        expect(answer.type).to.equal(cbor);
        expect(ageless(decoded(answer.data))).to.deep.equal(ageless(await json(configMaps, `application/json;${form}`)));
      }
      const partial = await send('GET', `${configMaps}/a`, { accept: `${cbor};as=PartialObjectMetadata;g=meta.k8s.io;v=v1` });
      expect(decoded(partial.data)).to.have.property('kind', 'PartialObjectMetadata');
    });

    it('streams a sequence of events, each an item with the object inside', async () => {
      const { status, type, data } = await send(
        'GET',
        `${configMaps}?watch=1&timeoutSeconds=1&resourceVersion=0&fieldSelector=metadata.name%3Da`,
      );
      expect({ status, type }).to.deep.equal({ status: 200, type: 'application/cbor-seq' });
      const [event, ...others] = sequence(data);
      expect(others).to.deep.equal([]);
      expect(event).to.deep.equal({ type: 'ADDED', object: await json(`${configMaps}/a`) });
      expect(
        (await send('GET', `${configMaps}?watch=1&timeoutSeconds=1&resourceVersion=0`, { accept: 'application/cbor-seq' })).type,
      ).to.equal('application/cbor-seq');
      const expired = sequence((await send('GET', `${configMaps}?watch=1&resourceVersion=1`)).data);
      expect(expired[0]).to.have.property('type', 'ERROR');
      expect(expired[0]).to.have.nested.property('object.code', 410);
    });

    it('applies configurations', async () => {
      const configuration = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data: { k: 'v' } };
      const answer = await send('PATCH', `${configMaps}/applied?fieldManager=m`, {
        type: 'application/apply-patch+cbor',
        body: cborCodec.encode(configuration),
      });
      expect(answer.status, answer.data.toString()).to.equal(201);
      expect(decoded(answer.data)).to.have.nested.property('metadata.managedFields[0].operation', 'Apply');
      const broken = await send('PATCH', `${configMaps}/applied?fieldManager=m`, {
        type: 'application/apply-patch+cbor',
        body: Buffer.from('a2416101416102', 'hex'),
      });
      expect(decoded(broken.data)).to.include({
        code: 400,
        message: 'error decoding YAML: cbor: found duplicate map key "a" at map element index 1',
      });
      for (const type of ['application/strategic-merge-patch+cbor', 'application/merge-patch+cbor', cbor]) {
        expect((await send('PATCH', `${configMaps}/a`, { type, body: cborCodec.encode({}) })).status, type).to.equal(415);
      }
    });

    it('heeds the order and the quality of what a client accepts', async () => {
      const typeFor = async (accept: string): Promise<string> => (await send('GET', `${configMaps}/a`, { accept })).type;
      expect(await typeFor('application/cbor;q=0.9,application/json;q=0.8')).to.equal(cbor);
      expect(await typeFor('application/cbor;q=0.5,application/json')).to.equal('application/json');
      expect(await typeFor('text/html,application/cbor')).to.equal(cbor);
      expect(await typeFor('*/*')).to.equal('application/json');
    });

    it('names it among what is supported', async () => {
      const body = await send('POST', configMaps, { type: 'text/plain', body: Buffer.from('x'), accept: 'application/json' });
      expect(body.status).to.equal(415);
      expect(body.data.toString()).to.contain('application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor');
      const list = await send('GET', configMaps, { accept: 'text/plain' });
      expect(list.status).to.equal(406);
      expect(list.data.toString()).to.contain(
        'application/vnd.kubernetes.protobuf, application/cbor, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch, application/cbor-seq',
      );
    });

    it('refuses in CBOR, and says what is wrong with a body', async () => {
      const absent = await send('GET', `${configMaps}/absent`);
      expect(absent).to.include({ status: 404, type: cbor });
      expect(decoded(absent.data)).to.include({ kind: 'Status', reason: 'NotFound' });
      const cut = await send('POST', configMaps, { body: Buffer.from('a1', 'hex') });
      expect(decoded(cut.data)['message']).to.equal(
        'the object provided is unrecognized (must be of type ConfigMap): unable to determine group/version/kind: unexpected EOF (a1)',
      );
      const unknown = await send('POST', `${configMaps}?fieldValidation=Strict`, {
        body: cborCodec.encode({ metadata: { name: 'u' }, extra: 1 }),
      });
      expect(decoded(unknown.data)['message']).to.equal(
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "extra"',
      );
    });

    it('serves lists of resources in it, but not the documents about groups, as the reference does', async () => {
      const resources = await send('GET', '/api/v1');
      expect(resources.type).to.equal(cbor);
      expect(decoded(resources.data)).to.deep.equal(await json('/api/v1'));
      expect((await send('GET', '/apis/apps')).status).to.equal(406);
    });

    it('deletes with options in it', async () => {
      const refused = await send('DELETE', `${configMaps}/b`, { body: cborCodec.encode({ preconditions: { uid: 'other' } }) });
      expect(decoded(refused.data)).to.include({ code: 409 });
      const deleted = await send('DELETE', `${configMaps}/b`);
      expect(decoded(deleted.data)).to.include({ kind: 'Status', status: 'Success' });
    });
  });

  describe('without its gate', () => {
    before(async () => {
      server = await startTestServer();
    });
    after(() => server.close());

    it('neither speaks nor names it', async () => {
      const accepted = await send('GET', configMaps);
      expect(accepted.status).to.equal(406);
      expect(accepted.data.toString()).not.to.contain('cbor');
      const body = await create({ metadata: { name: 'a' } }, 'application/json');
      expect(body.status).to.equal(415);
      expect(body.data.toString()).not.to.contain('cbor');
      expect((await send('GET', '/api/v1')).status).to.equal(406);
      expect(
        (
          await send('PATCH', `${configMaps}/a?fieldManager=m`, {
            accept: 'application/json',
            type: 'application/apply-patch+cbor',
            body: cborCodec.encode({}),
          })
        ).status,
      ).to.equal(415);
      expect((await send('GET', configMaps, { accept: `${cbor},application/json;q=0.1` })).type).to.equal('application/json');
    });
  });
});
