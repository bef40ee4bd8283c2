import { createHash } from 'node:crypto';
import type { Status } from '../../../api/status.js';
import type { KubeObject } from '../../../api/meta/object.js';
import { termsOf } from '../failures.js';
import { isWrite } from './call.js';
import { eventOf, expiredLine, linesOf } from './events.js';
import { parsedJson, wholeReply, type Asked, type Forward, type Reply } from './gateway.js';
import { fromPast, Hold, type HoldTerms } from './hold.js';
import type { Perturbation } from './perturbation.js';
import { isSamePlace, restOf, type Entry, type Outcome, type Recorder } from './record.js';
import { contentOf } from './state.js';

export interface StageActions {
  /** Resolves when the old start can do nothing any more. */
  readonly crash: () => Promise<void>;
  /** Changes an object as another client; resolves with its uid, or null if missing. */
  readonly touch: (path: string) => Promise<string | null>;
  /** Resolves with the newest version of the store. */
  readonly version: () => Promise<string>;
  /** Sends a request of an ended start; resolves with its status. */
  readonly send: (asked: Asked) => Promise<number>;
}

/** Those that meet requests; the others meet events. */
type Kind = Exclude<Perturbation['kind'], 'late' | 'missed' | 'expired'>;
type Of<K extends Kind> = Extract<Perturbation, { readonly kind: K }>;
type Acting<K extends Kind> = (perturbation: Of<K>, moment: Moment) => Promise<Reply | null>;
interface Moment {
  readonly entry: Entry;
  readonly asked: Asked;
  readonly forward: Forward;
}

/** Applies perturbations to requests and events. */
export class Stage {
  readonly #recorder: Recorder;
  readonly #perturbation: Perturbation | null;
  readonly #actions: StageActions;
  readonly #touched = new Set<string>();
  /** Versions at the rest of each step, and before its first write. */
  readonly #past = { restBefore: new Map<number, Promise<string>>(), stepBefore: new Map<number, Promise<string>>() };
  #reached = false;
  #hold: Hold | null = null;

  constructor(recorder: Recorder, perturbation: Perturbation | null, actions: StageActions) {
    this.#recorder = recorder;
    this.#perturbation = perturbation;
    this.#actions = actions;
  }

  get reached(): boolean {
    return this.#reached;
  }

  /** The work that waits for the operator's rest. */
  get hold(): HoldTerms | null {
    return this.#hold?.terms ?? null;
  }

  /** Uids of objects changed by another client. */
  get touched(): ReadonlySet<string> {
    return this.#touched;
  }

  async release(): Promise<void> {
    const hold = this.#hold;
    this.#hold = null;
    await hold?.release();
    this.#recorder.stir();
  }

  /** Restarts the operator at the end of a step if the perturbation is due there; returns whether it was. */
  async rest(step: number): Promise<boolean> {
    const perturbation = this.#perturbation;
    if (this.#hold || perturbation?.kind !== 'past') return false;
    if (perturbation.from === 'restBefore') {
      const version = this.#actions.version();
      this.#past.restBefore.set(step, version);
      await version;
    }
    if (!isSamePlace(restOf(step), perturbation.at)) return false;
    this.#hold = new Hold({ version: await this.#pastVersion(perturbation, step), resources: perturbation.of });
    await this.#actions.crash();
    return true;
  }

  end(): void {
    this.#hold?.abandon();
    this.#hold = null;
  }

  async meet(incarnation: number, asked: Asked, forward: Forward): Promise<Reply | null> {
    const { call } = asked;
    if (call === null) return forward();
    const entry = this.#recorder.begin(call, incarnation);
    try {
      return call.verb === 'watch' ? this.#watched(await forward(), entry, asked) : await this.#carriedOut({ entry, asked, forward });
    } finally {
      this.#recorder.end(entry, null);
    }
  }

  #watched(reply: Reply, entry: Entry, asked: Asked): Reply {
    entry.status = reply.status;
    const { body } = reply;
    return Buffer.isBuffer(body) || reply.status !== 200 ? reply : { ...reply, body: this.#events(linesOf(body), entry, asked.url) };
  }

  async *#events(lines: AsyncIterable<Buffer>, { call, incarnation }: Entry, url: string): AsyncGenerator<Buffer> {
    for await (const line of lines) {
      const event = eventOf(line);
      if (event) this.#recorder.stir();
      const entry = event && this.#recorder.see(call, event, incarnation);
      const due = entry && this.#due(entry);
      if (due?.kind === 'expired') {
        entry!.note = 'the watch ends with 410';
        yield expiredLine;
        return;
      }
      if (due)
        this.#hold = new Hold({ resource: call.resource, ...(due.kind === 'missed' ? { expires: true, pastStep: entry!.step } : {}) });
      const hold = this.#hold;
      if (hold?.holdsWatch(call.resource, url)) {
        if (entry) entry.note = hold.terms.expires ? 'not seen' : 'not seen yet';
        await hold.released;
        if (hold.terms.expires) {
          yield expiredLine;
          return;
        }
      }
      yield line;
    }
  }

  async #carriedOut(moment: Moment): Promise<Reply | null> {
    const { entry, asked, forward } = moment;
    await this.#versionBefore(entry);
    const perturbation = this.#due(entry);
    if (perturbation) return await this.#act(perturbation.kind as Kind, perturbation as Of<Kind>, moment);
    const past = this.#hold && fromPast(asked, this.#hold.terms);
    if (past === null) return this.#answered(moment, await forward());
    this.#reached = true;
    entry.note = 'sees the past';
    return this.#answered(moment, await forward(past));
  }

  #act<K extends Kind>(kind: K, perturbation: Of<K>, moment: Moment): Promise<Reply | null> {
    return this.#acts[kind](perturbation, moment);
  }

  readonly #acts: { readonly [K in Kind]: Acting<K> } = {
    crash: async ({ when }, moment) => {
      moment.entry.note = when === 'before' ? 'killed before it' : 'killed after it';
      if (when === 'after') await this.#answered(moment, await moment.forward());
      await this.#actions.crash();
      return null;
    },
    past: async (perturbation, moment) => {
      moment.entry.note = 'killed after it';
      this.#reached = false;
      const version = await this.#pastVersion(perturbation, moment.entry.step);
      await this.#answered(moment, await moment.forward());
      this.#hold = new Hold({ version, resources: perturbation.of });
      await this.#actions.crash();
      return null;
    },
    lateWrite: async (_, { entry, asked }) => {
      entry.note = 'killed before it; it arrives later';
      const late = async (): Promise<void> => {
        entry.status = await this.#actions.send(asked);
      };
      this.#hold = new Hold({ late, ...(asked.call!.verb === 'create' ? {} : { pastStep: entry.step }) });
      await this.#actions.crash();
      return null;
    },
    refusal: async ({ status }, moment) => {
      moment.entry.note = 'refused';
      return this.#answered(moment, refusalOf(status));
    },
    lostAnswer: async ({ how }, moment) => {
      moment.entry.note = 'its answer is lost';
      const { status } = await this.#answered(moment, await moment.forward());
      return status >= 300 ? refusalOf(500) : how === 'break' ? null : refusalOf(504);
    },
    foreignWrite: async (_, moment) => {
      moment.entry.note = 'somebody else was faster';
      const uid = await this.#actions.touch(objectPath(moment.asked));
      this.#reached = uid !== null;
      if (uid !== null) this.#touched.add(uid);
      return this.#answered(moment, await moment.forward());
    },
  };

  async #pastVersion({ from }: Of<'past'>, step: number): Promise<string> {
    return await ((from && this.#past[from].get(step - 1)) ?? this.#actions.version());
  }

  async #versionBefore({ call, step }: Entry): Promise<void> {
    const { stepBefore } = this.#past;
    const isAsked = this.#perturbation?.kind === 'past' && this.#perturbation.from === 'stepBefore';
    if (!isAsked || !isWrite(call)) return;
    if (!stepBefore.has(step)) stepBefore.set(step, this.#actions.version());
    await stepBefore.get(step);
  }

  #due(entry: Entry): Perturbation | null {
    if (this.#reached || this.#perturbation === null || !isSamePlace(entry.place, this.#perturbation.at)) return null;
    this.#reached = true;
    return this.#perturbation;
  }

  async #answered({ entry, asked }: Moment, reply: Reply): Promise<Reply & { readonly body: Buffer }> {
    const whole = await wholeReply(reply);
    entry.status = whole.status;
    const call = asked.call!;
    if (!isWrite(call) || whole.status >= 300) return whole;
    const object = parsedJson(whole.body) as Partial<KubeObject> | null;
    if (call.verb === 'create' && call.name.endsWith('*') && object?.metadata?.name !== undefined)
      this.#recorder.generated(object.metadata.name, call.name);
    if (call.verb === 'update' || call.verb === 'patch') entry.outcome = outcomeOf(object);
    if (call.verb === 'delete') entry.deleted = object?.metadata?.uid ?? (object as Partial<Status> | null)?.details?.uid;
    return whole;
  }
}

function outcomeOf(object: Partial<KubeObject> | null): Outcome | undefined {
  const { uid, resourceVersion: version } = object?.metadata ?? {};
  if (uid === undefined || version === undefined) return undefined;
  return {
    uid,
    version,
    content: createHash('sha256')
      .update(contentOf(object as KubeObject))
      .digest('hex'),
  };
}

function objectPath({ url, call }: Asked): string {
  const [path = ''] = url.split('?');
  return call !== null && isWrite(call) && call.subresource !== '' ? path.slice(0, path.lastIndexOf(`/${call.subresource}`)) : path;
}

function refusalOf(status: number): Reply {
  const { headers = {}, body = '' } = termsOf({ status, ...(status === 429 ? { retryAfterSeconds: 1 } : {}) });
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: Buffer.from(body) };
}
