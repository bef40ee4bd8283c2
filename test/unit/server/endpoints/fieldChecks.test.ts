import { expect } from 'chai';
import { request } from 'node:http';
import type { JsonObject } from '../../../../api/object.js';
import { cborCodec } from '../../../../workers/codecs/cbor.js';
import type { EncodingName } from '../../../../workers/codecs/contract.js';
import { comparePaths } from '../../../../workers/decode.js';
import { runEncode } from '../../../../workers/job.js';
import { encodeMessage } from '../../../../workers/codecs/protobuf/index.js';
import { envelopeParts } from '../../../../workers/codecs/protobuf/envelope.js';
import { startTestServer, type TestServer } from './harness.js';

const types: Readonly<Record<EncodingName, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
  cbor: 'application/cbor',
};
const configMap = { group: '', version: 'v1', kind: 'ConfigMap' };
const configMaps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';
const selfDescribing = ['json', 'yaml', 'cbor'] as const;

interface Answer {
  readonly status: number;
  readonly warning: string | undefined;
  readonly body: JsonObject;
}

describe('endpoints/field checks', function () {
  let server: TestServer;
  const send = (method: string, path: string, encoding: EncodingName, body: Buffer): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        `${server.url}${path}`,
        { method, headers: { 'content-type': types[encoding], 'content-length': body.length, accept: 'application/json' }, agent: false },
        (response) => {
          let text = '';
          response.on('data', (chunk: Buffer) => {
            text += chunk.toString();
          });
          response.on('end', () => {
            resolve({ status: response.statusCode ?? 0, warning: response.headers['warning'], body: JSON.parse(text) as JsonObject });
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  const encoded = (value: object, encoding: EncodingName): Buffer => {
    const result = runEncode({ value, encoding });
    if (!result.ok) throw new Error(result.message);
    return result.bytes;
  };

  before(async () => {
    server = await startTestServer(undefined, { endpoints: { cbor: true } });
    await send('POST', configMaps, 'json', encoded({ metadata: { name: 'there' } }, 'json'));
  });
  after(() => server.close());

  for (const encoding of selfDescribing)
    for (const [method, path] of [
      ['POST', configMaps],
      ['PUT', `${configMaps}/there`],
    ] as const) {
      it(`${method} in ${encoding} ignores, tells of, or refuses unknown fields`, async () => {
        const body = encoded({ metadata: { name: method === 'PUT' ? 'there' : 'new', odd: 1 }, extra: { a: 1 } }, encoding);
        const ask = (validation: string): Promise<Answer> => send(method, `${path}?dryRun=All${validation}`, encoding, body);
        const good = method === 'PUT' ? 200 : 201;
        expect(await ask('&fieldValidation=Ignore')).to.include({ status: good, warning: undefined });
        for (const validation of ['', '&fieldValidation=Warn']) {
          const { status, warning, body: object } = await ask(validation);
          expect({ status, warnings: warning?.split(', ').sort() }).to.deep.equal({
            status: good,
            warnings: ['299 - "unknown field \\"extra\\""', '299 - "unknown field \\"metadata.odd\\""'],
          });
          expect(object).not.to.have.any.keys('extra');
        }
        const refused = await ask('&fieldValidation=Strict');
        expect(refused.status).to.equal(400);
        expect(refused.body['message']).to.match(
          /^ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "(?:extra|metadata.odd)", unknown field "(?:extra|metadata.odd)"$/,
        );
        expect((await ask('&fieldValidation=Loudly')).status).to.equal(422);
      });
    }

  it('finds duplicates in text, and never takes them in CBOR', async () => {
    const yaml = Buffer.from('metadata:\n  name: d\ndata:\n  k: "1"\n  k: "2"\n');
    expect(await send('POST', `${configMaps}?dryRun=All`, 'yaml', yaml)).to.include({
      status: 201,
      warning: '299 - "line 5: key \\"k\\" already set in map"',
    });
    expect((await send('POST', `${configMaps}?dryRun=All&fieldValidation=Strict`, 'yaml', yaml)).body).to.include({ code: 400 });
    const cbor = Buffer.concat([
      Buffer.from('a2', 'hex'),
      cborCodec.encode('metadata').subarray(3),
      cborCodec.encode({ name: 'd' }).subarray(3),
      cborCodec.encode('metadata').subarray(3),
      cborCodec.encode({ name: 'e' }).subarray(3),
    ]);
    for (const validation of ['Ignore', 'Warn', 'Strict']) {
      expect((await send('POST', `${configMaps}?dryRun=All&fieldValidation=${validation}`, 'cbor', cbor)).body['message']).to.match(
        /found duplicate map key "metadata" at map element index 1/,
      );
    }
  });

  it('passes over fields that a message does not have, however loudly it is asked to', async () => {
    const message = encodeMessage({ metadata: { name: 'p' }, data: { k: 'v' } }, configMap);
    if (!message.ok) throw new Error(message.message);
    const raw = Buffer.concat([message.bytes, Buffer.from('fa3e0461626364', 'hex')]);
    const body = Buffer.concat(envelopeParts({ apiVersion: 'v1', kind: 'ConfigMap', raw }));
    for (const validation of ['Ignore', 'Warn', 'Strict']) {
      const answer = await send('POST', `${configMaps}?dryRun=All&fieldValidation=${validation}`, 'protobuf', body);
      expect(answer).to.include({ status: 201, warning: undefined });
      expect(answer.body['data']).to.deep.equal({ k: 'v' });
    }
  });

  const pod = (change: object): object => ({ metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i', ...change }] } });
  const wrong: readonly (readonly [string, string, object, RegExp])[] = [
    [
      'a text in place of a number',
      pods,
      pod({ ports: [{ containerPort: 'http' }] }),
      /cannot unmarshal string into Go struct field ContainerPort\.spec\.containers\.ports\.containerPort of type int32$/,
    ],
    [
      'a list in place of a map',
      configMaps,
      { metadata: { name: 'a' }, data: ['x'] },
      /cannot unmarshal array into Go struct field ConfigMap\.data of type map\[string\]string$/,
    ],
    [
      'a number beyond 32 bits',
      pods,
      pod({ ports: [{ containerPort: 4_294_967_296 }] }),
      /cannot unmarshal number 4294967296 into Go struct field ContainerPort\.spec\.containers\.ports\.containerPort of type int32$/,
    ],
    [
      'a fraction in place of a whole number',
      pods,
      pod({ ports: [{ containerPort: 80.5 }] }),
      /cannot unmarshal number 80\.5 into Go struct field ContainerPort\.spec\.containers\.ports\.containerPort of type int32$/,
    ],
    ['a quantity without digits', pods, pod({ resources: { limits: { cpu: 'lots' } } }), /quantities must match the regular expression/],
    ['broken base64', configMaps, { metadata: { name: 'a' }, binaryData: { k: 'a$' } }, /illegal base64 data at input byte 1$/],
    [
      'a day that does not exist',
      configMaps,
      { metadata: { name: 'a', creationTimestamp: '2026-02-30T00:00:00Z' } },
      /parsing time "2026-02-30T00:00:00Z": day out of range$/,
    ],
  ];
  for (const encoding of selfDescribing) {
    it(`refuses values of the wrong kind in ${encoding}, and says where`, async () => {
      for (const [title, path, value, message] of wrong) {
        const { status, body } = await send('POST', `${path}?dryRun=All`, encoding, encoded(value, encoding));
        expect(status, title).to.equal(400);
        expect(body['message'], title)
          .to.match(message)
          .and.match(/^(?:Pod|ConfigMap) in version "v1" cannot be handled as a (?:Pod|ConfigMap): /);
      }
    });
  }

  it('refuses Protobuf whose texts are no quantities or whose bytes break off', async () => {
    const message = encodeMessage(pod({ resources: { limits: { cpu: 'lots' } } }), { group: '', version: 'v1', kind: 'Pod' });
    if (!message.ok) throw new Error(message.message);
    const whole = Buffer.concat(envelopeParts({ apiVersion: 'v1', kind: 'Pod', raw: message.bytes }));
    expect((await send('POST', `${pods}?dryRun=All`, 'protobuf', whole)).body).to.include({ code: 400 });
    expect((await send('POST', `${pods}?dryRun=All`, 'protobuf', whole.subarray(0, 40))).body).to.include({ code: 400 });
  });

  it('tells unknown fields in the order of their names where the text is not read as JSON', async () => {
    const places = ['spec.volumes[10].odd', 'spec.volumes[2].odd'].map((path) => `unknown field "${path}"`);
    expect([...places].sort(comparePaths)).to.deep.equal([...places].reverse());
    const text = Buffer.from('{"unknown":1,"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"o","odd":1}}');
    for (const [encoding, order] of [
      ['yaml', ['metadata.odd', 'unknown']],
      ['json', ['unknown', 'metadata.odd']],
    ] as const) {
      const { warning } = await send('POST', `${configMaps}?dryRun=All&fieldValidation=Warn`, encoding, text);
      expect(
        [...(warning ?? '').matchAll(/unknown field \\"([^\\]*)/g)].map(([, name]) => name),
        encoding,
      ).to.deep.equal(order);
    }
  });
});
