import { LocalService } from '../../../../program/grpc/localService.js';
import type { MessageType } from '../../../../program/grpc/messageType.js';
import { socketPath } from '../../../../program/grpc/socketPath.js';
import { statusOf, type EncryptionCounts } from '../counts.js';
import { KeyCallError } from '../transformer.js';

export class KmsConnection {
  readonly #name: string;
  readonly #counts: EncryptionCounts;
  readonly #service: LocalService;

  constructor(name: string, endpoint: string, timeoutMs: number, counts: EncryptionCounts) {
    this.#name = name;
    this.#counts = counts;
    this.#service = new LocalService({ endpoint: `unix:${socketPath(pathOf(endpoint))}`, timeoutMs });
  }

  /** Rejects with a KeyCallError. */
  async call<Q, A>(path: string, question: MessageType<Q>, answer: MessageType<A>, message: Q): Promise<A> {
    const begun = performance.now();
    const called = (status: string): void => {
      this.#counts.called({ service: this.#name, method: path, status }, (performance.now() - begun) / 1000);
    };
    try {
      const answered = await this.#service.call({ path, question, answer }, message);
      called('OK');
      return answered;
    } catch (error) {
      called(statusOf(error));
      throw new KeyCallError({ service: this.#name, method: path.slice(path.lastIndexOf('/') + 1) }, error as Error);
    }
  }

  close(): void {
    this.#service.close();
  }
}

/** `unix:///@name` is an abstract socket: a slash precedes the URL's path. */
const pathOf = (endpoint: string): string => endpoint.replace(/^unix:\/\//, '').replace(/^\/@/, '@');
