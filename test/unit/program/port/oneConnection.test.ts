import { expect } from 'chai';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import tls from 'node:tls';
import type { ListenerOptions } from '../../../../program/port/listener.js';
import { openFrontDoor, type FrontDoor } from '../../../fixtures/frontDoor.js';
import { createIdentities, type Identities, type Identity } from '../../../fixtures/identities.js';

/** A request of a connection and its answer. */
interface Exchange {
  readonly bodyBytes: number;
  /** The size of a written piece of the request. */
  readonly writtenBytes: number;
  /** Whether it is sent before the previous answer. */
  readonly pipelined: boolean;
  /** Turns of the event loop before it and between its pieces. */
  readonly sentAfter: number;
  readonly answerBytes: number;
  /** The size of a written piece of the answer. */
  readonly pieceBytes: number;
  /** Turns of the event loop before the answer and between its pieces. */
  readonly answeredAfter: number;
  /** Whether the answer begins before the body has been read. */
  readonly early: boolean;
}

const sizes = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 10_000, max: 400_000 }));
const pieces = fc.oneof(fc.integer({ min: 10_000, max: 40_000 }), fc.integer({ min: 100_000, max: 400_000 }));
const turns = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 4 }));
const exchanges: fc.Arbitrary<Exchange[]> = fc.array(
  fc.record({
    bodyBytes: sizes,
    writtenBytes: pieces,
    pipelined: fc.boolean(),
    sentAfter: turns,
    answerBytes: sizes,
    pieceBytes: pieces,
    answeredAfter: turns,
    early: fc.boolean(),
  }),
  { minLength: 2, maxLength: 12 },
);

/** Bytes that identify their body and position. */
function bytesOf(length: number, index: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at += 1) bytes[at] = (at * 31 + (at >> 8) * 7 + index * 101) & 0xff;
  return bytes;
}

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const body: Buffer[] = [];
  for await (const chunk of request) body.push(chunk as Buffer);
  return Buffer.concat(body);
}

async function afterTurns(count: number): Promise<void> {
  for (let each = 0; each < count; each += 1) await nextTurn();
}

/** Resolves also when the stream closes, which the reader notices. */
function drained(out: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      out.off('drain', done).off('close', done);
      resolve();
    };
    out.on('drain', done).on('close', done);
    if (out.destroyed) done();
  });
}

/** Writes in pieces, respecting back-pressure. */
async function writeAll(out: Writable, bytes: Buffer, { atATime, pause }: { atATime: number; pause: number }): Promise<void> {
  for (let at = 0; at < bytes.length; at += atATime) {
    if (at > 0) await afterTurns(pause);
    if (!out.write(bytes.subarray(at, at + atATime))) await drained(out);
  }
}

/** Reads answers from a connection. Rejects at its end. */
class Answers {
  #chunks: Buffer[] = [];
  #length = 0;
  readonly #came: AsyncIterator<Buffer>;

  constructor(socket: tls.TLSSocket) {
    this.#came = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  async next(): Promise<Buffer> {
    let headEnd = -1;
    while ((headEnd = this.#joined().indexOf('\r\n\r\n')) < 0) await this.#more();
    const head = this.#take(headEnd + 4).toString('latin1');
    expect(head).to.match(/^HTTP\/1\.1 200 /);
    const length = Number(/^content-length: (\d+)\r$/im.exec(head)?.[1]);
    while (this.#length < length) await this.#more();
    return this.#take(length);
  }

  #joined(): Buffer {
    if (this.#chunks.length !== 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0]!;
  }

  #take(length: number): Buffer {
    const all = this.#joined();
    this.#chunks = [all.subarray(length)];
    this.#length -= length;
    return all.subarray(0, length);
  }

  async #more(): Promise<void> {
    const next = await this.#came.next();
    if (next.done === true) throw new Error('the connection has ended');
    this.#chunks.push(next.value);
    this.#length += next.value.length;
  }
}

describe('one connection of HTTP/1.1', () => {
  let identities: Identities;
  let server: Identity;
  let door: FrontDoor;
  let plan: readonly Exchange[] = [];
  /** Digests of the bodies as read by the server. */
  let digests: Promise<string>[] = [];
  let underWay = 0;
  let mostUnderWay = 0;

  const handle: ListenerOptions['handle'] = (...accepted) => {
    const [request, response] = accepted as unknown as [IncomingMessage, ServerResponse];
    underWay += 1;
    mostUnderWay = Math.max(mostUnderWay, underWay);
    // It runs before the listener that begins the next request.
    response.prependOnceListener('close', () => {
      underWay -= 1;
    });
    // The test detects a cut client; the server must not fail.
    void answer(request, response).catch(() => response.destroy());
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const index = Number(request.url?.slice(1));
    const { early } = plan[index]!;
    const body = bodyOf(request);
    digests[index] = body.then(digestOf);
    if (!early) await body;
    await writeAnswer(index, response);
  }

  async function writeAnswer(index: number, response: ServerResponse): Promise<void> {
    const { answerBytes, pieceBytes, answeredAfter } = plan[index]!;
    await afterTurns(answeredAfter);
    response.setHeader('content-length', answerBytes);
    await writeAll(response, bytesOf(answerBytes, index), { atATime: pieceBytes, pause: answeredAfter });
    response.end();
  }

  before(async () => {
    identities = await createIdentities();
    server = await identities.issue({ name: 'server', usage: 'serverAuth', ip: ['127.0.0.1'] });
    door = await openFrontDoor({ identities, server, resources: () => Promise.resolve(), listener: { handle } });
  });
  after(() => door.listener.close());

  /** Sends the requests of the plan, and returns the answers in order of arrival. */
  async function exchange(): Promise<Buffer[]> {
    const socket = tls.connect({ port: door.port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
    await once(socket, 'secureConnect');
    socket.setNoDelay(true);
    const answers = new Answers(socket);
    const received: Promise<Buffer>[] = [];
    try {
      for (const [index, { bodyBytes, writtenBytes, pipelined, sentAfter }] of plan.entries()) {
        if (!pipelined) await received.at(-1);
        await afterTurns(sentAfter);
        const head = Buffer.from(`POST /${index} HTTP/1.1\r\nhost: x\r\ncontent-length: ${bodyBytes}\r\n\r\n`);
        const before = received.at(-1);
        received.push(Promise.resolve(before).then(() => answers.next()));
        received.at(-1)!.catch(() => undefined);
        await writeAll(socket, Buffer.concat([head, bytesOf(bodyBytes, index)]), { atATime: writtenBytes, pause: sentAfter });
      }
      const all = await Promise.all(received);
      // An early answer may precede the end of the body.
      const expected = plan.map((each, index) => digestOf(bytesOf(each.bodyBytes, index)));
      expect(await Promise.all(digests), 'bodies of the requests').to.deep.equal(expected);
      return all;
    } finally {
      socket.destroy();
    }
  }

  it('gives every answer, in order and byte for byte, however requests and answers fall together', async () => {
    await fc.assert(
      fc.asyncProperty(exchanges, async (chosen) => {
        plan = chosen;
        mostUnderWay = 0;
        digests = [];
        for (const [index, bytes] of (await exchange()).entries())
          expect(bytes.equals(bytesOf(plan[index]!.answerBytes, index)), `answer ${index}`).to.equal(true);
        expect(mostUnderWay, 'requests under way at a time').to.equal(1);
      }),
      { numRuns: 100, endOnFailure: true },
    );
  });
});
