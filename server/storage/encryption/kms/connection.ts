import { LocalService } from '../../../grpc/localService.js';
import type { MessageType } from '../../../grpc/messageType.js';
import { KeyServiceError } from '../transformer.js';

/** Calls to a key service. */
export class KmsConnection {
  readonly #service: LocalService;

  constructor(
    private readonly name: string,
    endpoint: string,
    timeoutMs: number,
  ) {
    this.#service = new LocalService({ endpoint, timeoutMs });
  }

  /** Rejects with a KeyServiceError. */
  async call<Q, A>(path: string, question: MessageType<Q>, answer: MessageType<A>, message: Q): Promise<A> {
    try {
      return await this.#service.call({ path, question, answer }, message);
    } catch (error) {
      throw new KeyServiceError(`key service ${JSON.stringify(this.name)} failed: ${(error as Error).message}`, { cause: error });
    }
  }

  close(): void {
    this.#service.close();
  }
}
