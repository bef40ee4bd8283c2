import type { KubeObject } from '../../../api/meta/object.js';
import { termsOf } from '../failures.js';
import { isWrite, type Call } from './call.js';
import { parsedJson, wholeReply, type Asked, type Reply } from './gateway.js';
import type { Perturbation } from './perturbation.js';
import { isSamePlace, type Entry, type Recorder } from './record.js';

export interface Surroundings {
  /** Resolves when the old start can do nothing any more. */
  readonly crash: () => Promise<void>;
  readonly touch: (path: string) => Promise<boolean>;
}

export class Stage {
  readonly #recorder: Recorder;
  readonly #perturbation: Perturbation | null;
  readonly #surroundings: Surroundings;
  #reached = false;

  constructor(recorder: Recorder, perturbation: Perturbation | null, surroundings: Surroundings) {
    this.#recorder = recorder;
    this.#perturbation = perturbation;
    this.#surroundings = surroundings;
  }

  get reached(): boolean {
    return this.#reached;
  }

  async meet(incarnation: number, asked: Asked, forward: () => Promise<Reply>): Promise<Reply | null> {
    const { call } = asked;
    if (call === null) return forward();
    const entry = this.#recorder.begin(call, incarnation);
    try {
      return call.verb === 'watch' ? this.#watched(await forward(), entry) : await this.#carriedOut(entry, asked, forward);
    } finally {
      this.#recorder.end(entry, null);
    }
  }

  #watched(reply: Reply, entry: Entry): Reply {
    entry.status = reply.status;
    const { body } = reply;
    const recorder = this.#recorder;
    if (Buffer.isBuffer(body)) return reply;
    const noticed = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of body) {
        recorder.stir();
        yield chunk;
      }
    };
    return { ...reply, body: noticed() };
  }

  async #carriedOut(entry: Entry, asked: Asked, forward: () => Promise<Reply>): Promise<Reply | null> {
    const perturbation = this.#due(entry);
    switch (perturbation?.kind) {
      case undefined:
        return this.#answered(entry, asked.call!, await forward());
      case 'crash':
        entry.note = perturbation.when === 'before' ? 'killed before it' : 'killed after it';
        if (perturbation.when === 'after') await this.#answered(entry, asked.call!, await forward());
        await this.#surroundings.crash();
        return null;
      case 'refusal':
        entry.note = 'refused';
        return this.#answered(entry, asked.call!, refusalOf(perturbation.status));
      case 'lostAnswer': {
        entry.note = 'its answer is lost';
        const { status } = await this.#answered(entry, asked.call!, await forward());
        return status >= 300 ? refusalOf(500) : perturbation.how === 'break' ? null : refusalOf(504);
      }
      case 'foreignWrite':
        entry.note = 'somebody else was faster';
        this.#reached = await this.#surroundings.touch(objectPath(asked));
        return this.#answered(entry, asked.call!, await forward());
    }
  }

  #due(entry: Entry): Perturbation | null {
    if (this.#reached || this.#perturbation === null || !isSamePlace(entry.place, this.#perturbation.at)) return null;
    this.#reached = true;
    return this.#perturbation;
  }

  async #answered(entry: Entry, call: Call, reply: Reply): Promise<Reply & { readonly body: Buffer }> {
    const whole = await wholeReply(reply);
    entry.status = whole.status;
    if (call.verb === 'create' && call.name.endsWith('*') && whole.status < 300) {
      const { metadata } = (parsedJson(whole.body) ?? {}) as Partial<KubeObject>;
      if (metadata?.name !== undefined) this.#recorder.generated(metadata.name, call.name);
    }
    return whole;
  }
}

function objectPath({ url, call }: Asked): string {
  const [path = ''] = url.split('?');
  return call !== null && isWrite(call) && call.subresource !== '' ? path.slice(0, path.lastIndexOf(`/${call.subresource}`)) : path;
}

function refusalOf(status: number): Reply {
  const { headers = {}, body = '' } = termsOf({ status, ...(status === 429 ? { retryAfterSeconds: 1 } : {}) });
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: Buffer.from(body) };
}
