import type { TLSSocket } from 'node:tls';
import type { MemberId } from '../types.js';
import { ByteReader, ByteWriter, DecodeError } from './bytes.js';
import { certifiedMember } from './certificate.js';
import { Connection } from './connection.js';
import type { Log, TransportHandlers } from './contract.js';
import { readForward, readMessage } from './encoding.js';
import { frameKinds, spaceCodeDefault, writeFrame } from './frames.js';
import { readHello, refuseHello, writeIdentity, writeRefusal } from './handshake.js';
import type { CallerRecords, Hello, Identity, Objection } from './handshake.js';
import { transportLimits } from './limits.js';
import { SnapshotReceiver } from './snapshotReceiver.js';
import { errorText } from '../errorText.js';

export interface InboundContext {
  readonly self: Identity;
  readonly known: CallerRecords;
  readonly handlers: TransportHandlers;
  readonly snapshotDirectory: string;
  /** See `SnapshotReceiverOptions`. */
  readonly reserveOf: (fileSystemBytes: number) => number;
  readonly log: Log;
  onWelcomed(inbound: Inbound, hello: Hello): void;
  onClosed(inbound: Inbound): void;
}

type FrameHandlers = Readonly<Record<number, (payload: Buffer) => void>>;

/** The other direction carries only replies to pings. */
export class Inbound {
  readonly finished: Promise<void>;
  readonly #context: InboundContext;
  readonly #connection: Connection;
  readonly #remote: string;
  readonly #finish: () => void;
  #handlers: FrameHandlers = { [frameKinds.hello]: (payload) => this.#hello(readHello(new ByteReader(payload))) };
  #from: MemberId | null = null;
  #receiver: SnapshotReceiver | null = null;
  #silentPings = 0;
  #spaceCode: number | null = null;

  constructor(socket: TLSSocket, context: InboundContext) {
    let finish = (): void => undefined;
    this.finished = new Promise((resolve) => {
      finish = resolve;
    });
    this.#finish = finish;
    this.#context = context;
    this.#remote = `${socket.remoteAddress}:${socket.remotePort}`;
    this.#connection = new Connection(socket, {
      onFrame: (kind, payload) => this.#frame(kind, payload),
      onClose: (reason) => void this.#lost(reason),
    });
    this.#connection.setDeadline(transportLimits.handshakeMs, 'the handshake took too long');
  }

  get socket(): TLSSocket {
    return this.#connection.socket;
  }

  close(reason: string): void {
    this.#connection.close(reason);
  }

  beat(): void {
    if (this.#from === null || this.#receiver !== null) return;
    this.#silentPings += 1;
    if (this.#silentPings > transportLimits.silentPingsMax) this.close('the peer is silent');
  }

  #frame(kind: number, payload: Buffer): void {
    this.#silentPings = 0;
    if (this.#receiver !== null) {
      this.#receiver.frame(kind, payload);
      return;
    }
    const handler = this.#handlers[kind];
    if (handler === undefined) throw new DecodeError(`frame ${kind} at this point`);
    handler(payload);
  }

  #hello(hello: Hello): void {
    const certified = certifiedMember(this.#connection.socket);
    const objection: Objection | null =
      certified === null
        ? { code: 'certificate', reason: 'the certificate was not issued for peer usage' }
        : refuseHello(hello, certified, this.#context.self, this.#context.known);
    if (objection === null) this.#welcome(hello);
    else if (objection.code === null) this.close(objection.reason);
    else
      this.#connection.close(
        objection.reason,
        frame(frameKinds.refusal, (writer) => writeRefusal(writer, objection)),
      );
  }

  #welcome(hello: Hello): void {
    const from = hello.id;
    const { handlers, self } = this.#context;
    this.#from = from;
    this.#connection.setDeadline(null);
    this.#connection.acceptLongFrames(hello.purpose === 'snapshot' ? transportLimits.snapshotFrameBytesMax : transportLimits.frameBytesMax);
    if (hello.purpose === 'snapshot') this.#receiver = this.#receive(from);
    this.#handlers = {
      [frameKinds.raft]: (payload) =>
        handlers.onMessage(from, { channel: 'raft', message: readMessage(new ByteReader(payload), from, self.id) }),
      [frameKinds.forward]: (payload) => handlers.onMessage(from, { channel: 'forward', message: readForward(new ByteReader(payload)) }),
      [frameKinds.ping]: (payload) => {
        this.#heardSpace(from, payload[0] ?? spaceCodeDefault);
        this.#pong();
      },
    };
    this.#context.onWelcomed(this, hello);
    this.#connection.write(frame(frameKinds.welcome, (writer) => writeIdentity(writer, self)));
  }

  #heardSpace(from: MemberId, code: number): void {
    if (code === this.#spaceCode) return;
    this.#spaceCode = code;
    this.#context.handlers.onPeerSpace(from, code);
  }

  /** Sent after the round that earlier messages started: all replies wake the peer once. */
  #pong(): void {
    setImmediate(() => {
      if (this.#connection.unsentBytes > transportLimits.unsentAnswersBytesMax)
        this.close('the peer does not take the answers to its pings');
      else this.#connection.write(frame(frameKinds.pong, () => undefined));
    });
  }

  #receive(from: MemberId): SnapshotReceiver {
    return new SnapshotReceiver({
      connection: this.#connection,
      from,
      to: this.#context.self.id,
      directory: this.#context.snapshotDirectory,
      reserveOf: this.#context.reserveOf,
      onSnapshot: (announcement, path) => this.#context.handlers.onSnapshot(from, announcement, path),
    });
  }

  async #lost(reason: string): Promise<void> {
    const isUnidentified = this.#from === null;
    if (isUnidentified) this.#context.log('warn', 'connection on the peer port refused', { remote: this.#remote, reason });
    else if (reason.startsWith('not understood'))
      this.#context.log('warn', 'peer sent what is not understood', { peer: this.#from ?? '', reason });
    this.#context.onClosed(this);
    try {
      await this.#receiver?.abandon();
    } catch (error) {
      this.#context.log('warn', 'an unfinished snapshot could not be removed', {
        reason: errorText(error),
      });
    }
    this.#finish();
  }
}

function frame(kind: (typeof frameKinds)[keyof typeof frameKinds], write: (writer: ByteWriter) => void): Buffer {
  const writer = new ByteWriter();
  writeFrame(writer, kind, write);
  return writer.take();
}
