import type { MessagePort, Worker } from 'node:worker_threads';
import { describeError } from '../../program/log/logger.js';

/** Maps each topic to request and response, both plain data. */
type Question<Topics, Topic extends keyof Topics> = Topics[Topic] extends readonly [infer Asked, unknown] ? Asked : never;
type Answer<Topics, Topic extends keyof Topics> = Topics[Topic] extends readonly [unknown, infer Answered] ? Answered : never;
export type Handlers<Served> = {
  readonly [Topic in keyof Served]: (question: Question<Served, Topic>) => Answer<Served, Topic> | Promise<Answer<Served, Topic>>;
};

/** One end of a channel, possibly a thread. */
export type Port = MessagePort | Worker;

type Message =
  | { readonly kind: 'question'; readonly id: number; readonly topic: string; readonly question: unknown }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly reason: string };

/** Requests and responses between two threads, in order. A handler that throws is a defect, reported to the requester. */
export class Line<Asked, Served> {
  readonly #port: Port;
  readonly #handlers: Handlers<Served>;
  readonly #waiting = new Map<number, { readonly resolve: (answer: never) => void; readonly reject: (error: Error) => void }>();
  #nextId = 1;
  #ended: Error | null = null;

  constructor(port: Port, handlers: Handlers<Served>) {
    this.#port = port;
    this.#handlers = handlers;
    (port as MessagePort).on('message', (message: Message) => {
      this.#receive(message);
    });
  }

  /** Rejects if the other end is gone or fails. */
  ask<Topic extends keyof Asked & string>(topic: Topic, question: Question<Asked, Topic>): Promise<Answer<Asked, Topic>> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    const id = this.#nextId++;
    this.#port.postMessage({ kind: 'question', id, topic, question } satisfies Message);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
  }

  /** The other end is gone: pending requests fail. */
  end(error: Error): void {
    this.#ended ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #receive(message: Message): void {
    if (message.kind === 'question') {
      void this.#answer(message);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.kind === 'answer') waiting?.resolve(message.answer as never);
    else waiting?.reject(new Error(message.reason));
  }

  async #answer({ id, topic, question }: Message & { readonly kind: 'question' }): Promise<void> {
    try {
      const handler = (this.#handlers as Readonly<Record<string, ((question: never) => unknown) | undefined>>)[topic];
      if (handler === undefined) throw new Error(`nobody answers questions about ${topic}`);
      this.#port.postMessage({ kind: 'answer', id, answer: await handler(question as never) } satisfies Message);
    } catch (error) {
      this.#port.postMessage({ kind: 'failure', id, reason: describeError(error) } satisfies Message);
    }
  }
}
