import { expect } from 'chai';
import { Bystander } from './bystander.js';
import { Target } from './target.js';
import { RawHttp1 } from './wire/http1.js';

/** A second request, hidden in the body of the first. Its answer contains `/smuggled`. */
const hidden = 'GET /smuggled HTTP/1.1\r\nhost: localhost\r\n\r\n';
const head = (line: string, ...headers: readonly string[]): string => [line, 'host: localhost', ...headers, '', ''].join('\r\n');
const post = 'POST /version HTTP/1.1';
const length = `content-length: ${hidden.length}`;
const inChunk = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;

/** Permitted outcomes: a cut connection, a refusal as malformed, or one answer whose request has the hidden one as its body. */
interface Case {
  readonly what: string;
  readonly bytes: string | Buffer;
  /** Where both readings are one: the body is a body. */ readonly oneBody?: boolean;
}

const cases: readonly Case[] = [
  { what: 'both a length and chunks', bytes: `${head(post, 'content-length: 5', 'transfer-encoding: chunked')}0\r\n\r\n${hidden}` },
  { what: 'chunks, then a length', bytes: `${head(post, 'transfer-encoding: chunked', 'content-length: 5')}0\r\n\r\n${hidden}` },
  { what: 'two lengths', bytes: `${head(post, 'content-length: 0', length)}${hidden}` },
  { what: 'two equal lengths', bytes: `${head(post, length, length)}${hidden}`, oneBody: true },
  { what: 'a list of lengths', bytes: `${head(post, `content-length: 0, ${hidden.length}`)}${hidden}` },
  { what: 'a length with a sign', bytes: `${head(post, `content-length: +${hidden.length}`)}${hidden}` },
  { what: 'a negative length', bytes: `${head(post, 'content-length: -1')}${hidden}` },
  { what: 'a hexadecimal length', bytes: `${head(post, 'content-length: 0x0')}${hidden}` },
  { what: 'a length with a fraction', bytes: `${head(post, 'content-length: 0.0')}${hidden}` },
  { what: 'an empty length', bytes: `${head(post, 'content-length: ')}${hidden}` },
  { what: 'a length beyond all numbers', bytes: `${head(post, `content-length: ${'9'.repeat(40)}`)}${hidden}` },
  { what: 'a length with a space inside', bytes: `${head(post, 'content-length: 0 0')}${hidden}` },
  { what: 'a space before the colon', bytes: `${head(post, `content-length : ${hidden.length}`)}${hidden}` },
  { what: 'a space before the colon of the encoding', bytes: `${head(post, 'transfer-encoding : chunked')}${inChunk}` },
  { what: 'an unknown encoding', bytes: `${head(post, 'transfer-encoding: xchunked')}${inChunk}` },
  { what: 'identity', bytes: `${head(post, 'transfer-encoding: identity', length)}${hidden}` },
  { what: 'chunked, then identity', bytes: `${head(post, 'transfer-encoding: chunked, identity')}${inChunk}` },
  { what: 'chunked twice', bytes: `${head(post, 'transfer-encoding: chunked', 'transfer-encoding: identity')}${inChunk}` },
  { what: 'chunked in quotes', bytes: `${head(post, 'transfer-encoding: "chunked"')}${inChunk}` },
  { what: 'a vertical tab before chunked', bytes: `${head(post, 'transfer-encoding: \u000bchunked')}${inChunk}` },
  { what: 'a NUL in a value', bytes: `${head(post, 'x: a\u0000b', 'content-length: 0')}${hidden}`.replace(hidden, '') },
  { what: 'a NUL in a name', bytes: head(post, 'x\u0000: a', 'content-length: 0') },
  { what: 'a folded line', bytes: `${head(post, 'transfer-encoding:\r\n chunked')}${inChunk}`, oneBody: true },
  { what: 'a folded line before all others', bytes: `POST /version HTTP/1.1\r\n transfer-encoding: chunked\r\nhost: x\r\n\r\n${inChunk}` },
  { what: 'line feeds alone', bytes: `POST /version HTTP/1.1\nhost: localhost\n${length}\n\n${hidden}` },
  { what: 'a carriage return alone', bytes: `${head(post, `x: y\r${length}`)}${hidden}`.replace(hidden, '') },
  { what: 'a length behind a line feed', bytes: head(post, `x: y\n${length}`) },
  { what: 'a chunk size that is none', bytes: `${head(post, 'transfer-encoding: chunked')}zz\r\n${hidden}` },
  { what: 'a chunk size with a sign', bytes: `${head(post, 'transfer-encoding: chunked')}+0\r\n\r\n${hidden}` },
  { what: 'a chunk size in C', bytes: `${head(post, 'transfer-encoding: chunked')}0x0\r\n\r\n${hidden}` },
  { what: 'a chunk size beyond all numbers', bytes: `${head(post, 'transfer-encoding: chunked')}fffffffffffffffff0\r\n${hidden}` },
  { what: 'a chunk without its end', bytes: `${head(post, 'transfer-encoding: chunked')}1\r\naXX0\r\n\r\n${hidden}` },
  { what: 'a chunk with a line feed alone', bytes: `${head(post, 'transfer-encoding: chunked')}0\n\n${hidden}` },
  {
    what: 'a chunk extension',
    bytes: `${head(post, 'transfer-encoding: chunked')}${hidden.length.toString(16)};a=b\r\n${hidden}\r\n0\r\n\r\n`,
    oneBody: true,
  },
  {
    what: 'a trailer with a length',
    bytes: `${head(post, 'transfer-encoding: chunked')}0\r\ncontent-length: ${hidden.length}\r\n\r\n`,
    oneBody: true,
  },
  { what: 'a body of GET by length', bytes: `${head('GET /livez HTTP/1.1', length)}${hidden}`, oneBody: true },
  { what: 'a body of GET in chunks', bytes: `${head('GET /livez HTTP/1.1', 'transfer-encoding: chunked')}${inChunk}`, oneBody: true },
  { what: 'a body of HEAD by length', bytes: `${head('HEAD /livez HTTP/1.1', length, 'connection: close')}${hidden}`, oneBody: true },
  { what: 'HTTP/1.0 in chunks', bytes: `${head('POST /version HTTP/1.0', 'transfer-encoding: chunked')}${inChunk}`, oneBody: true },
  { what: 'HTTP/2.0 in a line', bytes: `${head('POST /version HTTP/2.0', length)}${hidden}` },
  { what: 'HTTP/0.9', bytes: 'GET /elsewhere\r\n\r\n' },
  { what: 'a version that is none', bytes: head('GET /elsewhere HTTP/1.11') },
  { what: 'a method in lower case', bytes: head('get /elsewhere HTTP/1.1') },
  { what: 'two spaces in the line', bytes: head('GET /elsewhere  HTTP/1.1') },
  { what: 'a tab in the line', bytes: head('GET\t/elsewhere\tHTTP/1.1') },
  { what: 'a space in the target', bytes: head('GET /elsewhere /x HTTP/1.1') },
  { what: 'a control character in the target', bytes: head('GET /elsewhere\u0001 HTTP/1.1') },
  { what: 'CONNECT', bytes: `CONNECT localhost:443 HTTP/1.1\r\nhost: localhost\r\n\r\n${hidden}` },
  {
    what: 'an upgrade to h2c',
    bytes: `${head('GET /livez HTTP/1.1', 'connection: upgrade, http2-settings', 'upgrade: h2c', 'http2-settings: AAMAAABkAAQAAP__')}`,
    oneBody: true,
  },
  { what: 'the preface of HTTP/2 on a connection of HTTP/1.1', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
  { what: '2,000 headers', bytes: head('GET /elsewhere HTTP/1.1', ...Array.from({ length: 2_000 }, (_, each) => `x-${each}: y`)) },
  { what: 'headers of 1 MiB', bytes: head('GET /elsewhere HTTP/1.1', `x: ${'y'.repeat(1_048_576)}`) },
  { what: 'a target of 1 MiB', bytes: head(`GET /elsewhere?${'y'.repeat(1_048_576)} HTTP/1.1`) },
  { what: 'bytes that are no HTTP', bytes: Buffer.from(Array.from({ length: 4_096 }, (_, each) => (each * 37) % 256)) },
];

/** All servers on the way agree on where requests end, or the connection ends. */
describe('attacks/smuggling', function () {
  let target: Target;
  before(async () => {
    target = await Target.start();
  });
  after(async () => {
    await target?.stop();
  });

  for (const { what, bytes, oneBody = false } of cases) {
    it(what, async () => {
      const wire = await RawHttp1.open({ port: target.port });
      wire.send(bytes);
      // The server cuts what it refuses. It answers a single request once, and ends the connection after the client.
      if (oneBody) await wire.answered(1);
      const answers = await wire.finish();
      expect(answers.length, JSON.stringify(answers)).to.be.at.most(1);
      for (const { status, body } of answers) {
        expect(status, body).not.to.equal(101);
        expect(body).not.to.contain('smuggled');
        if (!oneBody) expect([400, 403, 404, 405, 411, 413, 414, 431, 501, 505], body).to.include(status);
      }
    });
  }

  // An impersonating proxy adds its headers behind those of its client.
  for (const [what, path] of [
    ['HTTP/1.1', '/api/v1/secrets'],
    ['an upgrade', '/api/v1/namespaces/default/pods/p/exec?command=ls'],
  ] as const) {
    it(`headers that push those of a proxy away, over ${what}`, async () => {
      const admin = await target.user(`proxy-${what.length}`, { group: 'system:masters' });
      const wire = await RawHttp1.open(admin.wire);
      const upgrade = what === 'HTTP/1.1' ? [] : ['connection: upgrade', 'upgrade: websocket'];
      wire.send(
        head(`GET ${path} HTTP/1.1`, ...upgrade, ...Array.from({ length: 1_500 }, (_, each) => `x-${each}: y`), 'impersonate-user: nobody'),
      );
      const [answer] = await wire.answered(1);
      wire.destroy();
      expect([undefined, 403, 431], answer?.body).to.include(answer?.status);
    });
  }

  // Answers that need no work keep their order.
  const unworked: Readonly<Record<string, string>> = {
    'an expectation that nobody knows': head('GET /livez HTTP/1.1', 'expect: more'),
    'too many headers': head('GET /livez HTTP/1.1', ...Array.from({ length: 1_500 }, (_, each) => `x-${each}: y`)),
    'a body that is announced': head('POST /version HTTP/1.1', 'expect: 100-continue', 'content-length: 1'),
    'a method that is none': head('BREW /livez HTTP/1.1'),
    'no host': 'GET /livez HTTP/1.1\r\n\r\n',
    'a good request': head('GET /livez HTTP/1.1'),
  };
  for (const [what, first] of Object.entries(unworked)) {
    it(`an upgrade right behind ${what}`, async () => {
      for (const next of [
        head('GET /livez HTTP/1.1', 'connection: upgrade', 'upgrade: websocket'),
        head('GET /livez HTTP/1.1', 'connection: upgrade', 'upgrade: h2c'),
        head('CONNECT x:1 HTTP/1.1'),
        first,
      ]) {
        const wire = await RawHttp1.open({ port: target.port });
        wire.send(first + next + next);
        await wire.finish();
        for (const { status } of wire.answers) expect(status).not.to.equal(101);
      }
      await target.anonymous.expect(200, 'GET', '/livez');
      await target.expectAlive();
    });
  }

  it('has served others meanwhile, and nothing is left', async () => {
    const before = await target.counts();
    const bystander = await Bystander.start(target);
    for (const { bytes } of cases) {
      const wire = await RawHttp1.open({ port: target.port });
      wire.send(bytes);
      wire.destroy();
    }
    await bystander.served(2);
    await bystander.stop();
    await target.settled(before);
    await target.expectAlive();
  });
});
