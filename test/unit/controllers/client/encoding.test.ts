import { expect } from 'chai';
import fc from 'fast-check';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { mergePatch, type WatchEvent } from '../../../../controllers/client/api.js';
import { Connection } from '../../../../controllers/client/connection.js';
import { acceptOf, decodeBody, encodeBody, jsonType, protobufType, type ContentType } from '../../../../controllers/client/encoding.js';
import { ApiError, ConnectionError, UnreadableError } from '../../../../controllers/client/errors.js';
import type { KubeObject } from '../../../../api/meta/object.js';
import { controllerRevisions, deployments } from '../../../../api/types/apps/v1.js';
import { type Pod, pods } from '../../../../api/types/core/v1.js';
import { resource } from '../../../../api/meta/resource.js';
import { RestApi } from '../../../../controllers/client/rest.js';
import { StreamWatch } from '../../../../controllers/client/watchStream.js';
import { writeJson } from '../../../../workers/codecs/jsonWriter.js';
import { encodeMessage, protobufDecode, protobufEncode } from '../../../../workers/codecs/protobuf/index.js';

const accept = 'application/vnd.kubernetes.protobuf,application/json';
const custom = resource({ apiVersion: 'apps.example.org/v1', resource: 'deployments', kind: 'Deployment' });
const key = { namespace: 'n', name: 'p' };
const meta = {
  name: 'p',
  namespace: 'n',
  uid: 'u',
  resourceVersion: '12345678901234567890',
  generation: 7,
  creationTimestamp: '2026-01-02T03:04:05Z',
  labels: { a: 'ä' },
};
const pod = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: meta,
  spec: {
    terminationGracePeriodSeconds: 2 ** 60,
    containers: [
      {
        name: 'c',
        resources: { requests: { cpu: '100m' } },
        livenessProbe: { httpGet: { port: 'web' }, periodSeconds: 3 },
        ports: [{ containerPort: 80 }],
      },
    ],
  },
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-02T03:04:05Z', lastProbeTime: null }],
  },
};
const status = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'full',
  reason: 'TooManyRequests',
  details: { retryAfterSeconds: 5, causes: [{ reason: 'DisruptionBudget', message: 'm' }] },
  code: 429,
};

const inProtobuf = (value: unknown): Buffer => {
  const encoded = protobufEncode(value);
  if (!encoded.ok) throw new Error(encoded.message);
  return encoded.bytes;
};
/** A watch event as servers frame it: its length, then the event without envelope around an object with one. */
const frameOf = (type: string, object: unknown): Buffer => {
  const length = (bytes: Buffer): number[] => {
    const digits: number[] = [];
    let rest = bytes.length;
    for (; rest >= 0x80; rest >>= 7) digits.push((rest & 0x7f) | 0x80);
    return [...digits, rest];
  };
  const field = (tag: number, bytes: Buffer): Buffer => Buffer.concat([Buffer.from([tag, ...length(bytes)]), bytes]);
  const event = Buffer.concat([field(0x0a, Buffer.from(type)), field(0x12, field(0x0a, inProtobuf(object)))]);
  const head = Buffer.alloc(4);
  head.writeUInt32BE(event.length);
  return Buffer.concat([head, event]);
};
const lineOf = (type: string, object: unknown): Buffer => Buffer.from(`${JSON.stringify({ type, object })}\n`);

interface Seen {
  readonly line: string;
  readonly headers: http2.IncomingHttpHeaders;
  readonly body: Buffer;
}
interface Reply {
  readonly status?: number;
  readonly type?: string;
  readonly body: Buffer;
}

describe('controllers/client in Protobuf', () => {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  /** A server with the given answers, and its client. */
  const world = async (answer: (seen: Seen) => Reply, contentType: ContentType = protobufType) => {
    const seen: Seen[] = [];
    const server = http2.createServer();
    server.on('stream', (stream, headers) => {
      const chunks: Buffer[] = [];
      stream
        .on('error', () => undefined)
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          const request = { line: `${headers[':method']} ${headers[':path']}`, headers, body: Buffer.concat(chunks) };
          seen.push(request);
          const { status: code = 200, type = jsonType, body } = answer(request);
          stream.respond({ ':status': code, 'content-type': type });
          stream.end(body);
        });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const connection = new Connection({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    ends.push(async () => {
      connection.close();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    });
    return { seen, api: new RestApi({ connection, userAgent: 'test', contentType, retries: 0 }) };
  };
  /** Answers in the first accepted encoding. */
  const either =
    (value: unknown, suffix = '', spell = { protobuf: inProtobuf, json: (json: unknown) => Buffer.from(JSON.stringify(json)) }) =>
    ({ headers }: Seen): Reply =>
      headers.accept?.startsWith(protobufType)
        ? { type: `${protobufType}${suffix}`, body: spell.protobuf(value) }
        : { body: spell.json(value) };

  it('asks for Protobuf first and sends it, but for patches, custom types and discovery', async () => {
    const { api, seen } = await world(() => ({ body: Buffer.from('{}') }));
    await api.get(pods, key);
    await api.create(pods, pod as Pod);
    await api.delete(pods, key, { preconditions: { uid: 'u' } });
    await api.post(pods, key, 'eviction', { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p', namespace: 'n' } });
    await api.patch(pods, key, mergePatch({ metadata: { labels: null } }));
    await api.create(custom, { metadata: { name: 'p', namespace: 'n' } });
    await api.read('/apis');
    expect(seen.map(({ headers }) => [headers.accept, headers['content-type']])).to.deep.equal([
      [accept, undefined],
      [accept, protobufType],
      [accept, protobufType],
      [accept, protobufType],
      [accept, 'application/merge-patch+json'],
      [jsonType, jsonType],
      [jsonType, undefined],
    ]);
    expect(protobufDecode(seen[1]?.body ?? Buffer.alloc(0))).to.have.nested.property('value.metadata.uid', 'u');
    expect(protobufDecode(seen[2]?.body ?? Buffer.alloc(0)))
      .to.have.property('value')
      .that.deep.equals({ kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'u' } });
    expect(JSON.parse(seen[4]?.body.toString() ?? '')).to.deep.equal({ metadata: { labels: null } });
  });

  it('asks for metadata alone in Protobuf for custom types too', () => {
    const form = ';as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
    expect(acceptOf(protobufType, custom, 'PartialObjectMetadata')).to.equal(`${protobufType}${form},${jsonType}${form}`);
    expect(acceptOf(jsonType, custom, 'PartialObjectMetadata')).to.equal(`${jsonType}${form}`);
    expect(acceptOf(protobufType, custom)).to.equal(jsonType);
  });

  it('gives the same object, whatever it came in', async () => {
    const [got, listed] = await Promise.all(
      [protobufType, jsonType].map(async (contentType) => (await world(either(pod), contentType as ContentType)).api.get(pods, key)),
    );
    expect(got).to.deep.equal(listed);
    expect(got?.metadata.generation).to.equal(7);
    expect(got?.spec).to.have.property('terminationGracePeriodSeconds', 2 ** 60);
  });

  it('gives the same list, whatever it came in', async () => {
    const { kind: _, apiVersion: __, ...item } = pod;
    const list = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '9', remainingItemCount: 3 }, items: [item, item] };
    const [left, right] = await Promise.all(
      [protobufType, jsonType].map(async (contentType) => (await world(either(list), contentType as ContentType)).api.list(pods)),
    );
    expect(left).to.deep.equal(right);
    expect(left?.items[0]).to.include({ kind: 'Pod', apiVersion: 'v1' });
    expect(left?.metadata.remainingItemCount).to.equal(3);
  });

  it('gives the same events of a watch, whatever they came in', async () => {
    const happened: [string, unknown][] = [
      ['ADDED', pod],
      [
        'BOOKMARK',
        {
          kind: 'Pod',
          apiVersion: 'v1',
          metadata: { resourceVersion: '5', creationTimestamp: null, annotations: { 'k8s.io/initial-events-end': 'true' } },
          spec: { containers: null },
          status: {},
        },
      ],
      ['ERROR', status],
    ];
    const spell = {
      protobuf: () => Buffer.concat(happened.map((event) => frameOf(...event))),
      json: () => Buffer.concat(happened.map((event) => lineOf(...event))),
    };
    const [left, right] = await Promise.all(
      [protobufType, jsonType].map(async (contentType) => {
        const { api } = await world(either(null, ';stream=watch', spell), contentType as ContentType);
        return collect(await api.watch(pods, {}));
      }),
    );
    expect(left?.map(({ type }) => type)).to.deep.equal(['ADDED', 'BOOKMARK', 'ERROR']);
    expect(left?.[0]).to.deep.equal(right?.[0]);
    expect(left?.[2]).to.deep.equal(right?.[2]);
    expect(left?.[1]).to.have.nested.property('object.metadata.resourceVersion', '5');
    expect(left?.[1]).to.have.nested.property('object.metadata.annotations').that.deep.equals({ 'k8s.io/initial-events-end': 'true' });
  });

  it('understands a refusal in Protobuf', async () => {
    const { api } = await world(() => ({ status: 429, type: protobufType, body: inProtobuf(status) }));
    const error = await api.get(pods, key).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(ApiError).and.include({ code: 429, reason: 'TooManyRequests', message: 'full', retryAfterSeconds: 5 });
    expect((error as ApiError).status.details?.causes).to.deep.equal([{ reason: 'DisruptionBudget', message: 'm' }]);
  });

  it('goes on in JSON for a type whose Protobuf a server does not take or give', async () => {
    for (const code of [415, 406]) {
      const { api, seen } = await world(({ headers }) =>
        `${headers.accept} ${headers['content-type']}`.includes(protobufType)
          ? { status: code, body: Buffer.from('{}') }
          : { body: Buffer.from(JSON.stringify(pod)) },
      );
      expect(await api.create(pods, pod as Pod)).to.have.nested.property('metadata.uid', 'u');
      await api.create(pods, pod as Pod);
      expect(seen.map(({ headers }) => [headers.accept, headers['content-type']])).to.deep.equal([
        [accept, protobufType],
        [jsonType, jsonType],
        [jsonType, jsonType],
      ]);
      await api.get(deployments, key).catch(() => undefined);
      expect(seen[3]?.headers.accept, 'another type').to.equal(accept);
    }
    const { api, seen } = await world(() => ({ status: 415, body: Buffer.from('{}') }));
    expect(await api.create(pods, pod as Pod).catch((error: unknown) => error))
      .to.be.instanceOf(ApiError)
      .and.include({ code: 415 });
    expect(seen).to.have.length(2);
  });

  it('sends in JSON what does not fit into Protobuf, so that the server says what is wrong with it', () => {
    expect(encodeBody(protobufType, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 5 } }).type).to.equal(jsonType);
    expect(encodeBody(protobufType, { metadata: {} }).type).to.equal(jsonType);
    expect(encodeBody(protobufType, { apiVersion: 'apps.example.org/v1', kind: 'Deployment', metadata: {} }).type).to.equal(jsonType);
    expect(encodeBody(protobufType, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: {} }).type).to.equal(protobufType);
  });

  it('reads raw JSON within Protobuf as JSON is read', () => {
    const revision = {
      kind: 'ControllerRevision',
      apiVersion: 'apps/v1',
      metadata: { name: 'r', creationTimestamp: null },
      data: { big: 2 ** 60, list: [1.5, null] },
      revision: 3,
    };
    expect(decodeBody(inProtobuf(revision), protobufType))
      .to.have.property('data')
      .that.deep.equals({ big: 2 ** 60, list: [1.5, null] });
  });

  it('reads the numbers of revisions in 64 bits, and nothing else', async () => {
    const revision = {
      kind: 'ControllerRevision',
      apiVersion: 'apps/v1',
      metadata: { name: 'r', namespace: 'n', generation: 2 ** 60 },
      data: { big: 2 ** 60 },
      revision: 3546343826724305833n,
    };
    const list = { kind: 'ControllerRevisionList', apiVersion: 'apps/v1', metadata: {}, items: [revision] };
    const forms = [
      [protobufType, inProtobuf],
      [jsonType, (value: unknown): Buffer => Buffer.from(writeJson(value))],
    ] as const;
    for (const [type, encoded] of forms) {
      const { api, seen } = await world(
        ({ line }) => ({ body: encoded(line.endsWith('/controllerrevisions') ? list : revision), type }),
        type,
      );
      const got = await api.get(controllerRevisions, { namespace: 'n', name: 'r' });
      const [item] = (await api.list(controllerRevisions, { namespace: 'n' })).items;
      for (const each of [got, item]) {
        expect(each).to.include({ revision: 3546343826724305833n });
        expect(each?.metadata.generation).to.equal(2 ** 60);
        expect(each?.data).to.deep.equal({ big: 2 ** 60 });
      }
      await api.update(controllerRevisions, got);
      expect(decodeBody(seen.at(-1)?.body ?? Buffer.alloc(0), type, { exactMember: 'revision' }), 'what is written').to.include({
        revision: 3546343826724305833n,
      });
    }
  });

  it('says so when an answer is not what its type says', () => {
    for (const type of [protobufType, jsonType])
      for (const bytes of [Buffer.alloc(0), Buffer.from('no'), inProtobuf(pod).subarray(0, 40)])
        expect(() => decodeBody(bytes, type)).to.throw(UnreadableError);
  });
});

const collect = async (watch: AsyncIterable<WatchEvent<KubeObject>>): Promise<WatchEvent<KubeObject>[]> => {
  const events: WatchEvent<KubeObject>[] = [];
  for await (const event of watch) events.push(event);
  return events;
};

describe('controllers/client/watchStream', () => {
  const named = (name: string): unknown => ({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, data: { k: name.repeat(3) } });
  const names = fc.array(fc.string({ minLength: 1, maxLength: 200, unit: fc.constantFrom('a', 'b', 'ö', '-') }), { maxLength: 8 });
  const cuts = fc.array(fc.nat(5_000), { maxLength: 12 });
  const split = (bytes: Buffer, at: readonly number[]): Buffer[] => {
    const ends = [...new Set(at.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
    return [...ends, bytes.length]
      .map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end))
      .filter(({ length }) => length > 0);
  };

  it('finds every event, wherever the stream is cut', async () => {
    for (const [protobuf, frame] of [
      [true, frameOf],
      [false, lineOf],
    ] as const) {
      await fc.assert(
        fc.asyncProperty(names, cuts, async (given, at) => {
          const bytes = Buffer.concat(given.map((name) => frame('ADDED', named(name))));
          const events = await collect(new StreamWatch(Readable.from(split(bytes, at)), protobuf));
          expect(events.map(({ object }) => (object as KubeObject).metadata.name)).to.deep.equal(given);
        }),
        { numRuns: 60 },
      );
    }
  });

  it('leaves out what is not complete at the end', async () => {
    for (const [protobuf, frame] of [
      [true, frameOf],
      [false, lineOf],
    ] as const) {
      const bytes = Buffer.concat([frame('ADDED', named('a')), frame('ADDED', named('b')).subarray(0, -1)]);
      expect(await collect(new StreamWatch(Readable.from([bytes]), protobuf))).to.have.length(1);
    }
  });

  it('breaks at an event without bound, and at one that cannot be read', async () => {
    const failure = (chunks: readonly Buffer[]): Promise<unknown> =>
      collect(new StreamWatch(Readable.from(chunks), true)).catch((error: unknown) => error);
    expect(await failure([Buffer.from([0x7f, 0, 0, 0])])).to.be.instanceOf(ConnectionError);
    expect(await failure([Buffer.from([0, 0, 0, 2, 0x0a, 0x7f])])).to.be.instanceOf(UnreadableError);
    const message = encodeMessage(named('a'), { group: '', version: 'v1', kind: 'ConfigMap' });
    expect(message.ok).to.equal(true);
    expect(await failure([Buffer.from([0, 0, 0, 4, 0x12, 2, 0x0a, 0])]), 'an event without an object').to.be.instanceOf(UnreadableError);
    const endless = Readable.from(Array.from({ length: 20 }, () => Buffer.alloc(1024 * 1024, 0x20)));
    expect(await collect(new StreamWatch(endless)).catch((error: unknown) => error)).to.be.instanceOf(ConnectionError);
  });
});
