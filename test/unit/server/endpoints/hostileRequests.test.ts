import { expect } from 'chai';
import { once } from 'node:events';
import net from 'node:net';
import type { JsonObject } from '../../../../api/object.js';
import { call, watchStream, type Answer } from './client.js';
import { startTestServer, type TestServer } from './harness.js';

/**
 * Requests that have crashed or opened other API servers. Exponential work exceeds the runner's time limit. Patches are in `hostilePatches`, codecs in
 * `unit/codecs`.
 */
const maps = '/api/v1/namespaces/default/configmaps';

/** A definition with nested schemas: each level is a `not` (field 29). */
function nestedProtobuf(depth: number): Buffer {
  const wrap = (tag: readonly number[], inner: Buffer): Buffer => {
    const length: number[] = [];
    for (let rest = inner.length; ; rest >>>= 7) {
      if (rest < 128) {
        length.push(rest);
        break;
      }
      length.push((rest & 127) | 128);
    }
    return Buffer.concat([Buffer.from(tag), Buffer.from(length), inner]);
  };
  let schema: Buffer = Buffer.alloc(0);
  for (let level = 0; level < depth; level += 1) schema = wrap([0xea, 0x01], schema);
  const version = Buffer.concat([wrap([0x0a], Buffer.from('v1')), wrap([0x22], wrap([0x0a], schema))]);
  const definition = wrap([0x12], wrap([0x3a], version));
  const unknown = Buffer.concat([
    wrap(
      [0x0a],
      Buffer.concat([wrap([0x0a], Buffer.from('apiextensions.k8s.io/v1')), wrap([0x12], Buffer.from('CustomResourceDefinition'))]),
    ),
    wrap([0x12], definition),
  ]);
  return Buffer.concat([Buffer.from('k8s\0'), unknown]);
}

describe('hostile requests', function () {
  /** Each takes a fraction of a second, but minutes with exponential work. */
  let server: TestServer;
  const send = (method: string, path: string, body?: unknown): Promise<Answer> =>
    call(server.url, method, path, body === undefined ? {} : { body });
  const raw = (path: string, text: string, type = 'application/json'): Promise<Answer> =>
    call(server.url, 'POST', path, { raw: text, type });
  const messageOf = ({ text }: Answer): string => text.slice(0, 300);

  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());
  afterEach(async () => {
    expect((await send('GET', '/api/v1/namespaces/default')).status, 'it still serves').to.equal(200);
  });

  it('bodies that are nested without end are refused in every encoding', async () => {
    const depth = 200_000;
    const bodies: readonly (readonly [type: string, body: string | Buffer])[] = [
      ['application/json', `{"metadata":{"name":"x"},"data":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`],
      ['application/json', '['.repeat(depth)],
      ['application/yaml', `data: ${'{a: '.repeat(depth)}`],
      ['application/yaml', '- '.repeat(depth)],
      ['application/yaml', `data: ${'['.repeat(depth)}`],
      ['application/cbor', Buffer.alloc(depth, 0x81)],
      ['application/cbor', Buffer.alloc(depth, 0xc6)],
      ['application/cbor', Buffer.from('a16161'.repeat(depth), 'hex')],
      ['application/vnd.kubernetes.protobuf', nestedProtobuf(20_000)],
      ['application/vnd.kubernetes.protobuf', Buffer.concat([Buffer.from('k8s\0'), Buffer.alloc(depth, 0x0b)])],
    ];
    for (const [type, body] of bodies) {
      const answer = await call(server.url, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { raw: body, type });
      expect(answer.status, `${type}: ${messageOf(answer)}`).to.be.oneOf([400, 413, 415, 422]);
    }
  });

  it('a WebSocket of a watch that breaks off or sends what it must not ends, and nothing else does', async () => {
    const { hostname, port } = new URL(server.url);
    for (const then of [Buffer.from('ffffffffffffffffff', 'hex'), Buffer.from('not a frame at all'), Buffer.alloc(100_000, 0x02), null]) {
      const socket = net.connect(Number(port), hostname);
      socket
        .on('error', () => undefined)
        .write(
          `GET ${maps}?watch=1 HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
        );
      const [head] = (await once(socket, 'data')) as [Buffer];
      expect(String(head)).to.match(/^HTTP\/1\.1 101 /);
      // The server may reset the connection.
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.resume();
      if (then === null) socket.resetAndDestroy();
      else socket.write(then);
      await closed;
    }
  });

  describe('huge integers', () => {
    const deployment = (replicas: string): string =>
      `{"metadata":{"name":"huge"},"spec":{"replicas":${replicas},"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`;
    for (const [what, number] of [
      ['beyond 32 bits', '2147483648'],
      ['beyond 64 bits', '99999999999999999999'],
      ['beyond all numbers', '1e400'],
      ['two million digits', '9'.repeat(2_000_000)],
      ['a fraction of a million digits', `0.${'3'.repeat(1_000_000)}`],
    ] as const) {
      it(`are refused, and not rounded: ${what}`, async () => {
        const answer = await raw('/apis/apps/v1/namespaces/default/deployments', deployment(number));
        expect(answer.status, messageOf(answer)).to.be.oneOf([400, 422]);
      });
      it(`are refused, and not rounded, in YAML: ${what}`, async () => {
        const answer = await raw('/apis/apps/v1/namespaces/default/deployments', deployment(number), 'application/yaml');
        expect(answer.status, messageOf(answer)).to.be.oneOf([400, 422]);
      });
    }

    it('keep every digit where 64 bits are allowed', async () => {
      const job =
        '{"metadata":{"name":"long"},"spec":{"activeDeadlineSeconds":9007199254740993,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}';
      const made = await raw('/apis/batch/v1/namespaces/default/jobs', job);
      expect(made.status, messageOf(made)).to.equal(201);
      expect((await send('GET', '/apis/batch/v1/namespaces/default/jobs/long')).text).to.contain(
        '"activeDeadlineSeconds":9007199254740993',
      );
    });

    for (const query of [
      'limit=99999999999999999999',
      'timeoutSeconds=99999999999999999999',
      'resourceVersion=99999999999999999999999999',
      `limit=${'9'.repeat(10_000)}`,
    ]) {
      it(`are refused in a query: ${query.slice(0, 40)}`, async () => {
        expect((await send('GET', `${maps}?${query}`)).status).to.be.oneOf([400, 504]);
      });
    }
  });

  describe('path traversal', () => {
    before(async () => {
      await send('POST', '/api/v1/namespaces', { metadata: { name: 'vault' } });
      expect(
        (await send('POST', '/api/v1/namespaces/vault/secrets', { metadata: { name: 'gold' }, stringData: { value: 'treasure' } })).status,
      ).to.equal(201);
    });

    /** Sends the exact request line, which a client library would normalise. */
    async function asked(target: string, method = 'GET'): Promise<string> {
      const { hostname, port } = new URL(server.url);
      const socket = net.connect(Number(port), hostname);
      socket.write(`${method} ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      let text = '';
      socket.on('data', (chunk) => {
        text += String(chunk);
      });
      await once(socket, 'close');
      return text;
    }

    const escapes = [
      '..',
      '.',
      '%2e%2e',
      '..%2f..',
      '%2e%2e%2fvault',
      '..%5cvault',
      'a%2f..%2f..',
      '%2e',
      '..;',
      '%00',
      'a%00b',
      '%252e%252e%252f',
      '\\..\\vault',
      '%c0%ae%c0%ae',
    ];
    for (const escape of escapes) {
      for (const target of [
        `/api/v1/namespaces/default/secrets/${escape}/vault/secrets/gold`,
        `/api/v1/namespaces/${escape}/vault/secrets/gold`,
        `/api/v1/namespaces/default/${escape}/../vault/secrets/gold`,
        `/api/v1/namespaces/default/secrets/${escape}%2fvault%2fgold`,
        `/healthz/${escape}/api/v1/namespaces/vault/secrets/gold`,
      ]) {
        it(`leads to nothing: ${target}`, async () => {
          const text = await asked(target);
          expect(text).to.match(/^HTTP\/1\.1 (30\d|40\d) /);
          expect(text).not.to.contain('treasure').and.not.to.contain('dHJlYXN1cmU');
        });
      }
    }

    for (const name of ['..', '.', 'a/b', '../vault/gold', 'a%2fb', 'a\u0000b', 'a\\b']) {
      it(`is no name: ${JSON.stringify(name)}`, async () => {
        const named = await send('POST', maps, { metadata: { name } });
        expect(named.status, messageOf(named)).to.equal(422);
        const key = await send('POST', maps, { metadata: { name: 'keys' }, data: { [name]: 'x' } });
        expect(key.status, messageOf(key)).to.equal(422);
      });
    }
  });

  describe('patterns and selectors that blow up', () => {
    const long = 200_000;
    const texts: readonly (readonly [what: string, text: string])[] = [
      ['one letter', `${'a'.repeat(long)}!`],
      ['letters and hyphens', `${'a-'.repeat(long / 2)}!`],
      ['labels of names', `${'a.'.repeat(long / 2)}!`],
      ['hyphens', '-'.repeat(long)],
      ['slashes', '/'.repeat(long)],
      ['digits', `${'1'.repeat(long)}x`],
      ['nothing but digits', '1'.repeat(long)],
      ['noughts', `${'0'.repeat(long)}x`],
      ['spaces', `${' '.repeat(long)}x`],
      ['open brackets', '('.repeat(long)],
    ];
    const places: readonly (readonly [where: string, path: string, object: (text: string) => JsonObject])[] = [
      ['a name', maps, (text) => ({ metadata: { name: text } })],
      ['a generated name', maps, (text) => ({ metadata: { generateName: text } })],
      ['a label', maps, (text) => ({ metadata: { name: 'x', labels: { a: text } } })],
      ['the key of a label', maps, (text) => ({ metadata: { name: 'x', labels: { [text]: 'a' } } })],
      ['a finalizer', maps, (text) => ({ metadata: { name: 'x', finalizers: [text] } })],
      ['a key of data', maps, (text) => ({ metadata: { name: 'x' }, data: { [text]: 'a' } })],
      [
        'a schedule',
        '/apis/batch/v1/namespaces/default/cronjobs',
        (text) => ({
          metadata: { name: 'x' },
          spec: {
            schedule: text,
            jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } } },
          },
        }),
      ],
      ['a quantity', '/api/v1/namespaces/default/resourcequotas', (text) => ({ metadata: { name: 'x' }, spec: { hard: { cpu: text } } })],
      [
        'a path',
        '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
        (text) => ({
          metadata: { name: 'x' },
          spec: {
            rules: [
              {
                host: text,
                http: { paths: [{ path: `/${text}`, pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } }] },
              },
            ],
          },
        }),
      ],
      [
        'an address',
        '/api/v1/namespaces/default/services',
        (text) => ({ metadata: { name: 'x' }, spec: { ports: [{ port: 80 }], externalIPs: [text] } }),
      ],
      [
        'a file of a volume',
        '/api/v1/namespaces/default/pods',
        (text) => ({
          metadata: { name: 'x' },
          spec: {
            containers: [{ name: 'c', image: 'i' }],
            volumes: [
              {
                name: 'v',
                configMap: {
                  name: 'm',
                  items: [
                    { key: 'k', path: `${text}/x` },
                    { key: 'k', path: text },
                  ],
                },
              },
            ],
          },
        }),
      ],
      [
        'a path of a role',
        '/apis/rbac.authorization.k8s.io/v1/clusterroles',
        (text) => ({ metadata: { name: 'x' }, rules: [{ nonResourceURLs: [`/${text}`, `${'*'.repeat(text.length)}x*`], verbs: ['get'] }] }),
      ],
      [
        'an environment',
        '/api/v1/namespaces/default/pods',
        (text) => ({
          metadata: { name: 'x' },
          spec: {
            containers: [{ name: 'c', image: 'i', env: [{ name: text, value: text }] }],
            securityContext: { sysctls: [{ name: text, value: '1' }] },
          },
        }),
      ],
    ];
    for (const [where, path, object] of places) {
      it(`take no time: ${where}`, async () => {
        for (const [what, text] of texts) {
          const answer = await send('POST', `${path}?dryRun=All`, object(text));
          expect(answer.status, `${what}: ${messageOf(answer)}`).to.be.oneOf([201, 400, 413, 422]);
        }
      });
    }

    it('take no time: certificates that begin and never end', async () => {
      for (const begin of [
        '-----BEGIN CERTIFICATE-----\n',
        '-----BEGIN CERTIFICATE REQUEST-----\n',
        '-----BEGIN X-----\nkey: value\n',
        '-----BEGIN ',
        '-----END X-----\n',
        '-----',
      ]) {
        const text = Buffer.from(begin.repeat(Math.floor(700_000 / begin.length))).toString('base64');
        const secret = await send('POST', '/api/v1/namespaces/default/secrets', {
          metadata: { name: 'pem' },
          type: 'kubernetes.io/tls',
          data: { 'tls.crt': text, 'tls.key': text },
        });
        expect(secret.status, messageOf(secret)).to.be.oneOf([201, 422]);
        await send('DELETE', '/api/v1/namespaces/default/secrets/pem');
        const request = await send('POST', '/apis/certificates.k8s.io/v1/certificatesigningrequests', {
          metadata: { name: 'pem' },
          spec: { request: text, signerName: 'example.com/x', usages: ['client auth'] },
        });
        expect(request.status, messageOf(request)).to.be.oneOf([400, 422]);
      }
    });

    const selectors: readonly (readonly [what: string, text: string])[] = [
      ['thousands of requirements', Array.from({ length: 500 }, (_, each) => `k${each}=v`).join(',')],
      ['a set of thousands', `k in (${Array.from({ length: 1_000 }, (_, each) => `v${each}`).join(',')})`],
      ['brackets', `k in ${'('.repeat(2_000)}`],
      ['negations', '!'.repeat(4_000)],
      ['commas', ','.repeat(4_000)],
      ['equals', `a${'='.repeat(4_000)}`],
      ['spaces', `a${' '.repeat(2_000)}in${' '.repeat(1_000)}(b)`],
      ['a long word', 'a'.repeat(6_000)],
      ['escapes', `metadata.name=${'\\'.repeat(3_000)}`],
    ];
    for (const [what, text] of selectors) {
      it(`take no time: a selector of ${what}`, async () => {
        for (const which of ['labelSelector', 'fieldSelector']) {
          const answer = await send('GET', `${maps}?${which}=${encodeURIComponent(text)}`);
          expect(answer.status, messageOf(answer)).to.be.oneOf([200, 400]);
        }
      });
    }
  });

  describe('names of a prototype', () => {
    const inherited = ['constructor', 'hasOwnProperty', 'toString', 'valueOf', 'isPrototypeOf'];
    const everyName = ['__proto__', '__defineGetter__', ...inherited];
    const pairs = (names: readonly string[]): string => `{${names.map((name) => `${JSON.stringify(name)}:"own"`).join(',')}}`;
    after(() => send('DELETE', maps));

    it('are ordinary keys of data and annotations, and come back as they were sent', async () => {
      const made = await raw(maps, `{"metadata":{"name":"own","annotations":${pairs(inherited)}},"data":${pairs(everyName)}}`);
      expect(made.status, messageOf(made)).to.equal(201);
      const read = await send('GET', `${maps}/own`);
      expect(Object.keys(read.body['data'] as JsonObject)).to.have.members(everyName);
      expect(Object.keys((read.body['metadata'] as JsonObject)['annotations'] as JsonObject)).to.have.members(inherited);
      const replaced = await call(server.url, 'PUT', `${maps}/own`, { raw: `{"metadata":{"name":"own"},"data":${pairs(['__proto__'])}}` });
      expect(Object.entries(replaced.body['data'] as JsonObject)).to.deep.equal([['__proto__', 'own']]);
    });

    it('are labels where an object has them, and no labels of the others', async () => {
      expect((await raw(maps, '{"metadata":{"name":"plain"}}')).status).to.equal(201);
      expect((await raw(maps, `{"metadata":{"name":"labelled","labels":${pairs(inherited)}}}`)).status).to.equal(201);
      const selected = async (selector: string): Promise<string[]> =>
        ((await send('GET', `${maps}?labelSelector=${encodeURIComponent(selector)}`)).body['items'] as JsonObject[]).map((item) =>
          String((item['metadata'] as JsonObject)['name']),
        );
      for (const name of inherited) {
        expect(await selected(name), name).to.deep.equal(['labelled']);
        expect(await selected(`${name}=own`), `${name}=own`).to.deep.equal(['labelled']);
        expect(await selected(`!${name}`), `!${name}`)
          .to.include('plain')
          .and.not.include('labelled');
        expect(await selected(`${name} notin (own)`), `${name} notin`).to.include('plain');
      }
      const refused = await raw(maps, '{"metadata":{"name":"proto","labels":{"__proto__":"own"}}}');
      expect([refused.status, String(refused.body['message'])]).to.satisfy(
        ([status, message]: [number, string]) => status === 422 && message.includes('__proto__'),
        messageOf(refused),
      );
    });

    it('are unknown fields of an object, and no kinds, resources, parameters or subresources', async () => {
      for (const name of everyName) {
        expect(
          (await raw(`${maps}?fieldValidation=Strict`, `{"metadata":{"name":"x"},${JSON.stringify(name)}:{"polluted":"yes"}}`)).status,
          name,
        ).to.equal(400);
        for (const target of [
          `/api/v1/${name}`,
          `/apis/${name}`,
          `/apis/${name}/v1`,
          `/apis/apps/${name}`,
          `/api/v1/namespaces/default/${name}`,
          `${maps}/own/${name}`,
          `/${name}`,
        ])
          expect((await send('GET', target)).status, target).to.equal(404);
        expect((await send('GET', `${maps}?${name}=x&fieldSelector=${name}%3Dx`)).status, name).to.equal(400);
      }
      expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
    });
  });

  it('watch starvation: a flood of changes and watchers that do not read keep no other watch from its events', async () => {
    await send('POST', '/api/v1/namespaces', { metadata: { name: 'flood' } });
    const flooded = '/api/v1/namespaces/flood/configmaps';
    const deaf = await Promise.all(Array.from({ length: 20 }, () => watchStream(server.url, `${flooded}?watch=1`)));
    for (const { response } of deaf) response.pause();
    const quiet = await watchStream(
      server.url,
      `${maps}?watch=1&resourceVersion=0&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    );
    for (let event = await quiet.next(); event['type'] !== 'BOOKMARK';) event = await quiet.next();
    await send('POST', flooded, { metadata: { name: 'loud' }, data: { value: 'x'.repeat(50_000) } });
    let flooding = true;
    const flood = (async (): Promise<number> => {
      let writes = 0;
      for (; flooding || writes < 50; writes += 1)
        await send('PUT', `${flooded}/loud`, { metadata: { name: 'loud' }, data: { value: `${writes} ${'x'.repeat(50_000)}` } });
      return writes;
    })();
    for (const name of ['one', 'two', 'three']) {
      await send('POST', maps, { metadata: { name: `quiet-${name}` } });
      const event = await quiet.next();
      expect([event['type'], ((event['object'] as JsonObject)['metadata'] as JsonObject)['name']]).to.deep.equal([
        'ADDED',
        `quiet-${name}`,
      ]);
    }
    flooding = false;
    expect(await flood).to.be.at.least(50);
    for (const { close } of [...deaf, quiet]) close();
  });
});
