import { expect } from 'chai';
import { once } from 'node:events';
import http2, { type ClientHttp2Session, type ClientHttp2Stream, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { unbounded } from '../../../../../program/port/connections/sender.js';
import { openStream } from '../../../../../server/endpoints/watch/streamTransport.js';
import { writeTogether, type Transport, type Writer } from '../../../../../server/endpoints/watch/transport.js';

/** The normal transport, with a record of writes. */
class Usual implements Transport {
  readonly #stream: ServerHttp2Stream;
  readonly written: string[] = [];

  constructor(stream: ServerHttp2Stream) {
    this.#stream = stream;
  }

  write(parts: readonly Buffer[], writer: Writer | null): void {
    this.written.push(Buffer.concat([...parts]).toString());
    if (!this.#stream.destroyed) writeTogether(this.#stream, parts, writer);
  }

  whenClosed(action: () => void): void {
    this.#stream.once('close', action);
  }

  end(last: readonly Buffer[]): void {
    if (last.length > 0) this.write(last, null);
    this.#stream.end();
  }

  destroy(): void {
    this.#stream.destroy();
  }
}

/** A writer with a promise of its notification. */
function writer(): Writer & { readonly reported: Promise<void> } {
  let taken = (): void => {};
  const reported = new Promise<void>((resolve) => {
    taken = resolve;
  });
  return { taken: () => taken(), reported };
}

describe('endpoints/watch/streamTransport', () => {
  let server: Http2Server;
  let client: ClientHttp2Session;

  const parts = (...texts: string[]): Buffer[] => texts.map((text) => Buffer.from(text));

  before(async () => {
    server = http2.createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    client = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  afterEach(() => {
    client.destroy();
  });
  after(() => {
    server.close();
  });

  interface Opened {
    readonly stream: ServerHttp2Stream;
    readonly request: ClientHttp2Stream;
    readonly usual: Usual;
    readonly transport: Transport;
  }
  async function open(headers: http2.OutgoingHttpHeaders = {}, options: http2.ClientSessionRequestOptions = {}): Promise<Opened> {
    const request = client.request(headers, options);
    const [stream] = (await once(server, 'stream')) as [ServerHttp2Stream];
    stream.on('error', () => {});
    stream.respond({ ':status': 200 });
    const usual = new Usual(stream);
    return { stream, request, usual, transport: openStream({ stream, sendBuffer: unbounded }, usual) };
  }
  /** A transport that writes directly: Node has written the first parts by then. */
  async function openDirect(): Promise<Opened> {
    const opened = await open();
    const first = writer();
    opened.transport.write(parts('first '), first);
    await first.reported;
    opened.usual.written.length = 0;
    return opened;
  }
  async function textOf(request: ClientHttp2Stream): Promise<string> {
    let text = '';
    request.setEncoding('utf8');
    for await (const chunk of request) text += String(chunk);
    return text;
  }

  it('brings everything in order and tells who asks, past the usual way once that is known to work', async () => {
    const { request, transport, usual } = await openDirect();
    const all = textOf(request);
    const writers = [writer(), writer()];
    transport.write(parts('a '), null);
    transport.write(parts('b ', 'c ', 'd '), writers[0] ?? null);
    transport.write(parts('e '), writers[1] ?? null);
    await Promise.all(writers.map(({ reported }) => reported));
    transport.write(parts('f '), null);
    transport.end(parts('g'));
    expect(await all).to.equal('first a b c d e f g');
    expect(usual.written).to.deep.equal(['g']);
  });

  it('overtakes nothing that the usual way has not handed on yet', async () => {
    await openDirect();
    const { request, stream, transport, usual } = await open();
    const all = textOf(request);
    // The second waits in Node until the first is sent.
    stream.write('1 ');
    stream.write('2 ');
    transport.write(parts('3 '), null);
    transport.end(parts('4'));
    expect(await all).to.equal('1 2 3 4');
    expect(usual.written).to.deep.equal(['3 ', '4']);
  });

  it('is the usual way alone while the request goes on', async () => {
    await openDirect();
    const { request, transport, usual } = await open({ ':method': 'POST' }, { endStream: false });
    expect(transport).to.equal(usual);
    request.end();
  });

  it('is the usual way alone over a stream that is built otherwise', async () => {
    const { stream, usual } = await openDirect();
    expect(openStream({ stream: Object.create(stream) as ServerHttp2Stream, sendBuffer: unbounded }, usual)).to.equal(usual);
  });

  it('tells a writer whose client goes without taking anything, and leaves later writes to the usual way', async () => {
    const { request, stream, transport, usual } = await openDirect();
    request.pause();
    const waiting = writer();
    let reported = false;
    void waiting.reported.then(() => {
      reported = true;
    });
    // More than the client's window before it reads.
    transport.write([Buffer.alloc(1 << 20)], waiting);
    transport.write(parts('behind'), null);
    const closed = once(stream, 'close');
    await once(request, 'readable');
    expect(reported).to.equal(false);
    request.close(http2.constants.NGHTTP2_CANCEL);
    await Promise.all([closed, waiting.reported]);
    transport.write(parts('late'), writer());
    expect(usual.written).to.deep.equal(['late']);
  });

  it('shares a queue with the streams of its connection, and with no others', async () => {
    const [one, two] = [await openDirect(), await openDirect()];
    const before = client;
    client = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const other = await openDirect();
    expect(one.transport.flushQueue).to.not.equal(undefined);
    expect(two.transport.flushQueue).to.equal(one.transport.flushQueue);
    expect(other.transport.flushQueue).to.not.equal(one.transport.flushQueue);
    before.destroy();
  });
});
