import { Client, credentials } from '@grpc/grpc-js';
import { KeyServiceError } from '../transformer.js';
import type { MessageType } from './messages.js';

const answerBytesMax = 1024 * 1024;

/** Calls to a service that listens on a Unix socket. */
export class KmsConnection {
  readonly #client: Client;

  constructor(private readonly name: string, endpoint: string, private readonly timeoutMs: number) {
    this.#client = new Client(endpoint, credentials.createInsecure(), { 'grpc.max_receive_message_length': answerBytesMax });
  }

  /** Rejects with a KeyServiceError. */
  call<Q, A>(path: string, question: MessageType<Q>, answer: MessageType<A>, message: Q): Promise<A> {
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(path, question.encode, answer.decode, message, { deadline: Date.now() + this.timeoutMs }, (error, value) => {
        if (error !== null) reject(new KeyServiceError(`key service ${JSON.stringify(this.name)} failed: ${error.details}`, { cause: error }));
        else if (value === undefined) reject(new KeyServiceError(`key service ${JSON.stringify(this.name)} answered nothing`));
        else resolve(value);
      });
    });
  }

  close(): void { this.#client.close(); }
}
