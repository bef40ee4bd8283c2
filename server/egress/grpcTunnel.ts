import { randomInt } from 'node:crypto';
import { Duplex } from 'node:stream';
import type { Client, ClientDuplexStream } from '@grpc/grpc-js';
import { messageTypes } from '../../program/grpc/messageType.js';
import type { Transport } from './configuration.js';

export const packet = { dialRequest: 0, dialResponse: 1, closeRequest: 2, closeResponse: 3, data: 4, dialClose: 5, drain: 6 } as const;
export const tunnelPath = '/ProxyService/Proxy';

export interface Packet {
  readonly type: number;
  readonly dialRequest?: { readonly protocol: string; readonly address: string; readonly random: number };
  readonly dialResponse?: { readonly error: string; readonly connectID: number; readonly random: number };
  readonly data?: { readonly connectID: number; readonly error?: string; readonly data: Uint8Array };
  readonly closeRequest?: { readonly connectID: number };
  readonly closeResponse?: { readonly error: string; readonly connectID: number };
  readonly closeDial?: { readonly random: number };
}

export const packets = messageTypes({
  Packet: {
    oneofs: { payload: { oneof: ['dialRequest', 'dialResponse', 'data', 'closeRequest', 'closeResponse', 'closeDial'] } },
    fields: {
      type: { type: 'int32', id: 1 },
      dialRequest: { type: 'DialRequest', id: 2 },
      dialResponse: { type: 'DialResponse', id: 3 },
      data: { type: 'Data', id: 4 },
      closeRequest: { type: 'CloseRequest', id: 5 },
      closeResponse: { type: 'CloseResponse', id: 6 },
      closeDial: { type: 'CloseDial', id: 7 },
    },
  },
  DialRequest: { fields: { protocol: { type: 'string', id: 1 }, address: { type: 'string', id: 2 }, random: { type: 'int64', id: 3 } } },
  DialResponse: { fields: { error: { type: 'string', id: 1 }, connectID: { type: 'int64', id: 2 }, random: { type: 'int64', id: 3 } } },
  Data: { fields: { connectID: { type: 'int64', id: 1 }, error: { type: 'string', id: 2 }, data: { type: 'bytes', id: 3 } } },
  CloseRequest: { fields: { connectID: { type: 'int64', id: 1 } } },
  CloseResponse: { fields: { error: { type: 'string', id: 1 }, connectID: { type: 'int64', id: 2 } } },
  CloseDial: { fields: { random: { type: 'int64', id: 1 } } },
})<Packet>('Packet');

const timeoutMs = 30_000;
const packetBytesMax = 16 * 1024;
const randomMax = 2 ** 31;

/** Opens a tunnel to a host and port through a Konnectivity server: a packet stream per connection. */
export async function dialByGrpc(transport: Transport, host: string, port: number): Promise<Duplex> {
  const client = await clientOf(transport);
  const call = client.makeBidiStreamRequest(tunnelPath, packets.encode, packets.decode);
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const random = randomInt(randomMax);
  const end = (): void => {
    call.cancel();
    client.close();
  };
  try {
    const connectID = await dialled(call, { protocol: 'tcp', address, random });
    return new Tunnel(call, connectID, end);
  } catch (error) {
    end();
    throw new Error(`the egress proxy gives no way to ${address}: ${(error as Error).message}`, { cause: error });
  }
}

async function clientOf(transport: Transport): Promise<Client> {
  const { Client, credentials, secureCredentials } = await import('../../program/grpc/client.js');
  if ('path' in transport)
    return new Client(`unix:${transport.path}`, credentials.createInsecure(), { 'grpc.default_authority': 'localhost' });
  const { host, port, tls } = transport;
  const security = tls === null ? credentials.createInsecure() : secureCredentials(tls);
  const name = tls?.servername;
  return new Client(
    `${host.includes(':') ? `[${host}]` : host}:${port}`,
    security,
    name === undefined ? {} : { 'grpc.ssl_target_name_override': name },
  );
}

type Call = ClientDuplexStream<Packet, Packet>;

function dialled(call: Call, dialRequest: NonNullable<Packet['dialRequest']>): Promise<number> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      fail(new Error(`no answer within ${timeoutMs} ms`));
    }, timeoutMs);
    const leave = (): void => {
      clearTimeout(timer);
      call.off('data', take);
      call.off('end', gone);
      // Later errors are ignored: the call is cancelled then.
      call.on('error', () => {});
    };
    const fail = (error: Error): void => {
      leave();
      reject(error);
    };
    const gone = (): void => {
      fail(new Error('the proxy ended the stream'));
    };
    const take = ({ type, dialResponse }: Packet): void => {
      // An agent that cannot connect may close the tunnel without a response.
      if (type === packet.dialClose || type === packet.closeResponse) return fail(new Error('the proxy gave up'));
      if (type !== packet.dialResponse || dialResponse?.random !== dialRequest.random) return;
      if (dialResponse.error !== '') return fail(new Error(dialResponse.error));
      call.pause();
      leave();
      resolve(dialResponse.connectID);
    };
    call.on('data', take);
    call.once('error', fail);
    call.once('end', gone);
    call.write({ type: packet.dialRequest, dialRequest });
  });
}

class Tunnel extends Duplex {
  readonly #call: Call;
  readonly #connectID: number;
  readonly #end_: () => void;

  constructor(call: Call, connectID: number, end_: () => void) {
    super();
    this.#call = call;
    this.#connectID = connectID;
    this.#end_ = end_;
    call.on('data', (packet: Packet) => {
      this.#take(packet);
    });
    call.on('end', () => {
      this.push(null);
    });
    call.on('error', (error: Error) => {
      this.destroy(error);
    });
  }

  override _read(): void {
    this.#call.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    for (let at = 0; at < chunk.length; at += packetBytesMax)
      this.#call.write({ type: packet.data, data: { connectID: this.#connectID, data: chunk.subarray(at, at + packetBytesMax) } });
    if (this.#call.writableNeedDrain) this.#call.once('drain', done);
    else done();
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#call.write({ type: packet.closeRequest, closeRequest: { connectID: this.#connectID } });
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#end_();
    done(error);
  }

  #take({ type, data }: Packet): void {
    if (type === packet.data && data !== undefined) {
      if (data.data.length > 0 && !this.push(Buffer.from(data.data))) this.#call.pause();
    } else if (type === packet.closeResponse || type === packet.closeRequest) {
      this.push(null);
      this.destroy();
    }
  }
}
