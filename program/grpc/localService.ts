import type { Client, Metadata } from '@grpc/grpc-js';
import { rpcErrorText } from './statusCodes.js';
import type { MessageType } from './messageType.js';

const answerBytesMax = 1024 * 1024;

export interface LocalServiceOptions {
  /** gRPC's notation: `unix:/path` or `unix:///path`. */
  readonly endpoint: string;
  readonly timeoutMs: number;
}

/** A method's full path, and its request and response types. */
export interface Method<Q, A> {
  readonly path: string;
  readonly question: MessageType<Q>;
  readonly answer: MessageType<A>;
}

interface Connection {
  readonly client: Client;
  readonly metadata: Metadata;
}

/**
 * Calls a service on a Unix socket. Loads the gRPC library at the first call: few servers use it. A call waits, within its time, for a service that starts, as those
 * of the reference do (`grpc.WaitForReady` in externaljwt/plugin/plugin.go and kmsv2/grpc_service.go).
 */
export class LocalService {
  readonly #options: LocalServiceOptions;
  #connection: Promise<Connection> | null = null;

  constructor(options: LocalServiceOptions) {
    this.#options = options;
  }

  /** Rejects with the reason in the words of Go's clients. */
  async call<Q, A>({ path, question, answer }: Method<Q, A>, message: Q): Promise<A> {
    const { client, metadata } = await (this.#connection ??= connect(this.#options.endpoint));
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        path,
        question.encode,
        answer.decode,
        message,
        metadata,
        { deadline: Date.now() + this.#options.timeoutMs },
        (error, value) => {
          if (error !== null) reject(new Error(rpcErrorText(error), { cause: error }));
          else if (value === undefined) reject(new Error('no answer'));
          else resolve(value);
        },
      );
    });
  }

  close(): void {
    void this.#connection?.then(({ client }) => {
      client.close();
    });
  }
}

async function connect(endpoint: string): Promise<Connection> {
  const { Client, credentials, Metadata } = await import('./client.js');
  const client = new Client(endpoint, credentials.createInsecure(), {
    'grpc.max_receive_message_length': answerBytesMax,
    'grpc.default_authority': 'localhost',
  });
  return { client, metadata: new Metadata({ waitForReady: true }) };
}
