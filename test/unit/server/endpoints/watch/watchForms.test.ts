import { expect } from 'chai';
import { protobufDecode } from '../../../../../workers/codecs/protobuf/index.js';
import type { JsonObject } from '../../../../../api/object.js';
import { sequence } from '../cborSequence.js';
import { call } from '../client.js';
import { startTestServer, type TestServer } from '../harness.js';

const configMaps = '/api/v1/namespaces/default/configmaps';

interface Event {
  readonly type: string;
  readonly object: JsonObject;
}
interface Meta {
  readonly resourceVersion: string;
  readonly labels?: Readonly<Record<string, string>>;
}
interface Shown {
  readonly metadata: Meta;
  readonly rows?: readonly { readonly object: { readonly metadata: Meta } }[];
}

const lines = (data: Buffer): Event[] =>
  data
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Event);

/** Events with a four-byte length; each object begins with the envelope's mark. */
function frames(data: Buffer): Event[] {
  const events: Event[] = [];
  for (let at = 0; at < data.length; at += 4 + data.readUInt32BE(at)) {
    const frame = data.subarray(at + 4, at + 4 + data.readUInt32BE(at));
    const object = protobufDecode(frame.subarray(frame.indexOf('k8s\0')));
    if (!object.ok) throw new Error(object.message);
    events.push({ type: frame.subarray(2, 2 + (frame[1] ?? 0)).toString(), object: object.value as JsonObject });
  }
  return events;
}

const forms: readonly (readonly [accept: string, contentType: string, kind: string, read: (data: Buffer) => Event[]])[] = [
  ['application/json', 'application/json', 'ConfigMap', lines],
  ['application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1', 'application/json', 'PartialObjectMetadata', lines],
  ['application/json;as=Table;g=meta.k8s.io;v=v1', 'application/json', 'Table', lines],
  ['application/vnd.kubernetes.protobuf', 'application/vnd.kubernetes.protobuf;stream=watch', 'ConfigMap', frames],
  [
    'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    'application/vnd.kubernetes.protobuf;stream=watch',
    'PartialObjectMetadata',
    frames,
  ],
  ['application/cbor', 'application/cbor-seq', 'ConfigMap', (data) => sequence(data) as unknown as Event[]],
];

describe('endpoints/watch, in every form', function () {
  let server: TestServer;
  const versions: string[] = [];
  const change = async (method: string, path: string, body?: object): Promise<void> => {
    const { status, body: answer } = await call(server.url, method, path, {
      type: method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      ...(body === undefined ? {} : { body }),
    });
    expect(status).to.be.oneOf([200, 201]);
    versions.push((answer['metadata'] as { resourceVersion?: string }).resourceVersion ?? String(server.storage.version));
  };
  const watch = async (accept: string, query: string): Promise<{ readonly headers: Headers; readonly data: Buffer }> => {
    const answer = await fetch(`${server.url}${configMaps}?watch=1&timeoutSeconds=1&${query}`, {
      headers: { accept, 'accept-encoding': 'gzip' },
    });
    expect(answer.status).to.equal(200);
    return { headers: answer.headers, data: Buffer.from(await answer.arrayBuffer()) };
  };
  const metaOf = ({ metadata, rows }: Shown): Meta => rows?.[0]?.object.metadata ?? metadata;

  beforeEach(async () => {
    server = await startTestServer(undefined, { endpoints: { cbor: true } });
    versions.length = 0;
    await change('POST', configMaps, { metadata: { name: 'a', labels: { l: '0' } }, data: { k: 'x'.repeat(200_000) } });
    await change('PATCH', `${configMaps}/a`, { metadata: { labels: { l: '1' } } });
    await change('PATCH', `${configMaps}/a`, { metadata: { labels: { l: '0' } } });
    await change('PATCH', `${configMaps}/a`, { metadata: { annotations: { changed: 'yes' } } });
    await change('DELETE', `${configMaps}/a`);
  });
  afterEach(() => server.close());

  it('an object that leaves a selector is DELETED, in its last matching state, with the new version; so is one that goes', async () => {
    const [created, left, back, changed, gone] = versions;
    await Promise.all(
      forms.map(async ([accept, contentType, kind, read]) => {
        const { headers, data } = await watch(accept, `resourceVersion=${created}&labelSelector=l%3D0`);
        expect(headers.get('content-type')).to.equal(contentType);
        const events = read(data);
        expect(
          events.map(({ object }) => object['kind']),
          accept,
        ).to.deep.equal([kind, kind, kind, kind]);
        expect(
          events.map(({ type, object }) => [
            type,
            metaOf(object as unknown as Shown).labels?.['l'],
            metaOf(object as unknown as Shown).resourceVersion,
          ]),
          accept,
        ).to.deep.equal([
          ['DELETED', '0', left],
          ['ADDED', '0', back],
          ['MODIFIED', '0', changed],
          ['DELETED', '0', gone],
        ]);
        expect(
          events.map(({ object }) => (object as unknown as Shown).metadata.resourceVersion),
          accept,
        ).to.deep.equal([left, back, changed, gone]);
      }),
    );
  });

  it('who watches the other side of the selector sees it come and go', async () => {
    const [created, left, back] = versions;
    await Promise.all(
      forms.map(async ([accept, , , read]) => {
        const events = read((await watch(accept, `resourceVersion=${created}&labelSelector=l!%3D0`)).data);
        expect(
          events.map(({ type, object }) => [
            type,
            metaOf(object as unknown as Shown).labels?.['l'],
            metaOf(object as unknown as Shown).resourceVersion,
          ]),
          accept,
        ).to.deep.equal([
          ['ADDED', '1', left],
          ['DELETED', '1', back],
        ]);
      }),
    );
  });

  it('a version that is gone is an ERROR with a Status', async () => {
    server.storage.compact(server.storage.version);
    await Promise.all(
      forms.map(async ([accept, , , read]) => {
        const events = read((await watch(accept, 'resourceVersion=1')).data);
        expect(events, accept).to.have.length(1);
        expect(events[0], accept)
          .to.deep.include({ type: 'ERROR' })
          .and.have.property('object')
          .that.deep.includes({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Expired', code: 410 });
      }),
    );
  });

  it('is sent in chunks and never compressed', async () => {
    const { headers, data } = await watch('application/json', `resourceVersion=${versions[0]}`);
    expect([headers.get('transfer-encoding'), headers.get('content-encoding'), headers.get('content-length')]).to.deep.equal([
      'chunked',
      null,
      null,
    ]);
    expect(data.length).to.be.greaterThan(600_000);
  });
});
