import { once } from 'node:events';
import http2, { type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { Http2Request, Http2Response } from '../../../../program/port/http2Messages.js';
import { keepStreamsApart } from '../../../../program/port/connections/openStreams.js';

type Answer = (response: Http2Response, body: string) => void;

describe('answers over HTTP/2', () => {
  let server: Http2Server;
  let client: http2.ClientHttp2Session;
  const streams: ServerHttp2Stream[] = [];
  /** Whether each stream had sent its whole answer when it closed. */
  let closed: Promise<boolean>[];

  const open = async (answer: Answer): Promise<void> => {
    streams.length = 0;
    closed = [];
    server = http2.createServer(
      // Node's types require its own classes here.
      { Http2ServerRequest: Http2Request as never, Http2ServerResponse: Http2Response as never },
      (request, response) => {
        const { stream } = request as unknown as Http2Request;
        streams.push(stream);
        closed.push(new Promise((resolve) => stream.once('close', () => resolve(stream.writableFinished))));
        void text(stream).then(
          (body) => answer(response as unknown as Http2Response, body),
          () => undefined,
        );
      },
    );
    server.on('session', keepStreamsApart);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  };
  afterEach(async () => {
    client.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const ask = async (method: string, body: string): Promise<string> => {
    const stream = client.request({ ':method': method, ':path': '/' });
    stream.end(body === '' ? undefined : body);
    return text(stream);
  };

  const answers: Readonly<Record<string, Answer>> = {
    'in one piece': (response, body) => void response.end(`got ${body}`),
    'in many pieces': (response, body) => {
      response.flushHeaders();
      // HEAD has no body.
      for (let piece = 0; piece < 20 && !response.stream.writableEnded; piece += 1) response.stream.write('x'.repeat(5_000));
      response.end(`got ${body}`);
    },
    'larger than the window': (response, body) => void response.end('x'.repeat(300_000) + body),
    'without a body': (response) => {
      response.statusCode = 204;
      response.end();
    },
  };
  for (const [how, answer] of Object.entries(answers))
    it(`${how} close their streams once they have been sent whole`, async () => {
      await open(answer);
      for (let round = 0; round < 5; round += 1)
        await Promise.all(
          Array.from({ length: 20 }, async (_, each) => {
            const [method, body] = each % 4 === 0 ? ['HEAD', ''] : each % 2 === 0 ? ['GET', ''] : ['POST', `body ${each}`];
            const reported = await ask(method!, body!);
            if (method !== 'HEAD' && how !== 'without a body') expect(reported).to.contain(body);
          }),
        );
      expect(await Promise.all(closed)).to.deep.equal(Array.from({ length: 100 }, () => true));
    });

  it('close their streams when the client is gone before they have been sent', async () => {
    await open(() => client.destroy());
    const asked = Promise.allSettled(Array.from({ length: 10 }, () => ask('POST', 'body')));
    await asked;
    await Promise.all(closed);
    expect(streams.every(({ destroyed }) => destroyed)).to.equal(true);
  });

  it('close their streams when the client goes in the midst of them', async () => {
    await open((response) => void response.end('x'.repeat(10_000_000)));
    const stream = client.request({ ':method': 'POST', ':path': '/' });
    stream.on('error', () => undefined);
    stream.end('body');
    await once(stream, 'data');
    client.destroy();
    expect(await Promise.all(closed)).to.deep.equal([false]);
  });

  describe('to requests that go on', () => {
    const long = Array.from({ length: 30_000 }, (_, each) => `${each} `).join('');
    const ways: Readonly<Record<string, (response: Http2Response) => void>> = {
      'at once': (response) => void response.end(long),
      'in pieces': (response) => {
        response.flushHeaders();
        for (let at = 0; at < long.length; at += 9_999) response.stream.write(long.slice(at, at + 9_999));
        response.end();
      },
      'with their end behind a piece': (response) => {
        response.flushHeaders();
        response.stream.write(long.slice(0, 50_000));
        response.stream.write('');
        response.end(long.slice(50_000));
      },
    };
    const goOn = async (answer: (response: Http2Response) => void, withEnd: boolean): Promise<string> => {
      server = http2.createServer(
        { Http2ServerRequest: Http2Request as never, Http2ServerResponse: Http2Response as never },
        (request, response) => {
          (request as unknown as Http2Request).stream.resume();
          answer(response as unknown as Http2Response);
        },
      );
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      client = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      const stream = client.request({ ':method': 'POST', ':path': '/' });
      stream.write('first');
      const whole = text(stream);
      await once(stream, 'response');
      stream.write('second');
      if (withEnd) stream.end('last');
      return whole;
    };
    for (const [how, answer] of Object.entries(ways))
      for (const withEnd of [true, false])
        it(`come whole ${how}, ${withEnd ? 'whose end comes meanwhile' : 'which never end'}`, async () => {
          expect(await goOn(answer, withEnd)).to.equal(long);
        });

    it('are handed to Node in small pieces', async () => {
      const handed: number[] = [];
      await goOn((response) => {
        const { stream } = response;
        const native = Object.getPrototypeOf(stream) as ServerHttp2Stream;
        const write = native._write;
        native._write = function (this: ServerHttp2Stream, bytes: Buffer, ...rest) {
          handed.push(bytes.length);
          write.call(this, bytes, ...rest);
        };
        response.end(long);
        stream.once('close', () => {
          native._write = write;
        });
      }, false);
      expect(Math.max(...handed)).to.equal(4_096);
      expect(handed.reduce((sum, each) => sum + each, 0)).to.equal(long.length);
    });
  });

  it('come whole, whenever their end is asked for behind a long piece', async () => {
    let turns = 0;
    await open((response) => {
      response.flushHeaders();
      response.stream.write('x'.repeat(100_000));
      const endIn = (left: number): void => {
        if (left === 0) response.end();
        else setImmediate(endIn, left - 1);
      };
      endIn(turns);
    });
    for (turns = 0; turns < 40; turns += 1) expect(await ask('GET', '')).to.have.lengthOf(100_000);
  });

  it('are taken back by an end that is asked for', async () => {
    await open((response) => {
      response.flushHeaders();
      response.stream.write('some');
      response.destroy();
    });
    const end = await ask('POST', 'body').catch((error: unknown) => String(error));
    expect(end).to.match(/Stream closed with error code NGHTTP2_INTERNAL_ERROR/);
    expect(await Promise.all(closed)).to.deep.equal([false]);
  });

  it('keep, when they go on for long, only what is reported at their end, and still end as they should', async () => {
    let kept: unknown;
    await open((response) => {
      response.setHeader('audit-id', 'x');
      response.flushHeaders();
      response.forgetHead();
      kept = [response.headersSent, response.getHeader('audit-id'), Object.keys(response.stream.sentHeaders)];
      response.end('whole');
    });
    let request: Http2Request | undefined;
    server.prependListener('request', (asked) => {
      request = asked as unknown as Http2Request;
      request.forgetHead();
    });
    const stream = client.request({ ':method': 'GET', ':path': '/', 'user-agent': 'me', 'x-forwarded-for': 'you', accept: 'all' });
    expect(await text(stream)).to.equal('whole');
    expect(kept).to.deep.equal([true, 'x', ['audit-id', ':status']]);
    expect([request?.headers, request?.rawHeaders, request?.method]).to.deep.equal([
      { 'user-agent': 'me', 'x-forwarded-for': 'you' },
      [],
      'GET',
    ]);
  });
});
