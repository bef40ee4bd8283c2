import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { parsed, type Answer, type Connection, type Watch } from './connection.js';
import { filled, scenarioPlaceholders } from './placeholders.js';
import { drop, valueAt } from './pointers.js';
import type { Expectation, Pointer, Step } from './recordings.js';

/** The result of a step, null for none. `missed` is what an `eventually` did not reach. */
export type Observed = { readonly seen: Expectation } | { readonly missed: string } | null;

const pollMs = 150;
/** The time for a watch to begin, and for unexpected events to arrive. */
const settleMs = 300;
const eventuallySecondsDefault = 60;
/** The time for the recorded answer to appear after an `eventually` holds. */
const shownMs = 5_000;
const eventSecondsDefault = 60;
const wordLetters = 'bcdfghjkmnpqrstvwxz';

/** A random word that no recording contains. */
export const randomWord = (): string => Array.from({ length: 6 }, () => wordLetters[randomInt(wordLetters.length)]).join('');

/** Plays steps in order and returns their results in recorded form. */
export class Player {
  readonly #connection: Connection;
  readonly #ignored: readonly Pointer[];
  readonly #watches = new Map<string, Watch>();

  /** `names` are values of placeholders, to which steps add; no recording contains `ns` and `r`. */
  constructor(
    connection: Connection,
    ignored: readonly Pointer[] = [],
    readonly names: Record<string, unknown> = { ns: `g-${randomWord()}`, r: randomWord() },
  ) {
    this.#connection = connection;
    this.#ignored = ignored;
  }

  /** A write returns the status of its moment, so it waits for the controllers' status that was recorded. */
  async #controllers({ do: request = '' }: Step): Promise<void> {
    const [, target = ''] = filled(request, this.names).split(' ');
    const [path = ''] = target.split('?');
    const end = Date.now() + eventuallySecondsDefault * 1000;
    while (Date.now() < end) {
      if (
        writtenByControllers(
          parsed((await this.#connection.request({ method: 'GET', path, headers: { accept: 'application/json' } })).text),
        )
      )
        return;
      await delay(pollMs);
    }
  }

  async step(step: Step): Promise<Observed> {
    if (step.wait !== undefined || step.watch !== undefined) {
      if (step.watch !== undefined) this.#watches.set(step.name ?? '', this.#connection.watch(filled(step.watch, this.names)));
      await delay(step.wait ?? settleMs);
      return null;
    }
    if (step.events !== undefined) return { seen: await this.#events(step.events, step) };
    if (showsControllersWork(step)) await this.#controllers(step);
    const { answer, reached } = await this.#request(step);
    const body = parsed(answer.text);
    for (const [name, pointer] of Object.entries(step.save ?? {})) this.names[name] = valueAt(body, pointer);
    return reached === null ? { seen: this.#recorded(answer, step) } : { missed: reached };
  }

  async #events(name: string, { count = 0, within = eventSecondsDefault, exactly = true, keep, ignore = [] }: Step): Promise<Expectation> {
    const watch = this.#watches.get(name);
    if (watch === undefined) throw new Error(`no watch ${name}`);
    await watch.reaches(count, within * 1000);
    if (exactly) await delay(settleMs);
    const all = watch.take() as { readonly type?: string; readonly object?: unknown }[];
    const events = exactly ? all : all.slice(0, count);
    for (const { object } of events) for (const pointer of [...this.#ignored, ...ignore]) drop(object, pointer);
    const kept = keep === undefined ? events : events.map(({ type, object }) => ({ type, ...keptOf(object, keep) }));
    return { events: scenarioPlaceholders(kept, this.names) as readonly unknown[] };
  }

  /** `reached` is what an `eventually` did not reach. */
  async #request(step: Step): Promise<{ readonly answer: Answer; readonly reached: string | null }> {
    const [method = '', ...rest] = filled(step.do ?? step.eventually ?? '', this.names).split(' ');
    const body =
      step.body !== undefined
        ? JSON.stringify(filled(step.body, this.names))
        : step.raw === undefined
          ? undefined
          : filled(step.raw, this.names);
    const asked = { method, path: rest.join(' '), headers: this.#headers(step, body), body };
    let answer = await this.#connection.request(asked);
    if (step.eventually === undefined) return { answer, reached: null };
    const where = filled(step.where ?? {}, this.names);
    let end = Date.now() + (step.within ?? eventuallySecondsDefault) * 1000;
    for (; !holds(answer, where); answer = await this.#connection.request(asked)) {
      if (Date.now() >= end) return { answer, reached: JSON.stringify(where) };
      await delay(pollMs);
    }
    end = Date.now() + shownMs;
    for (; !this.#isAsRecorded(answer, step) && Date.now() < end; answer = await this.#connection.request(asked)) await delay(pollMs);
    return { answer, reached: null };
  }

  /** An `eventually` may hold before controllers have written what was recorded. */
  #isAsRecorded(answer: Answer, { keep, expect }: Step): boolean {
    if (keep === undefined || expect?.body === undefined) return true;
    return isDeepStrictEqual(scenarioPlaceholders(keptOf(parsed(answer.text), keep), this.names), expect.body);
  }

  #headers(
    { accept = 'application/json', headers = {}, as, type = 'application/json' }: Step,
    body: string | undefined,
  ): Record<string, string | readonly string[]> {
    const user = as === undefined ? undefined : filled(as, this.names);
    return {
      accept,
      ...filled(headers, this.names),
      ...(user === undefined
        ? {}
        : { 'impersonate-user': user.user, ...(user.groups === undefined ? {} : { 'impersonate-group': user.groups }) }),
      ...(body === undefined ? {} : { 'content-type': type, 'content-length': String(Buffer.byteLength(body)) }),
    };
  }

  /** Converts an answer to recorded form. */
  #recorded(answer: Answer, { keep, ignore = [] }: Step): Expectation {
    const body = parsed(answer.text);
    if (keep === undefined) for (const pointer of [...this.#ignored, ...ignore]) drop(body, pointer);
    const headers = recordedHeaders(answer);
    return {
      status: answer.status,
      ...(Object.keys(headers).length > 0 ? { headers: scenarioPlaceholders(headers, this.names) as Record<string, string> } : {}),
      body: scenarioPlaceholders(keep === undefined ? body : keptOf(body, keep), this.names),
    };
  }

  close(): void {
    for (const watch of this.#watches.values()) watch.close();
  }
}

/** The field manager of controllers, here and in the reference. */
const controllersName = 'kube-controller-manager';

function writtenByControllers(object: unknown): boolean {
  const managers = valueAt(object, '/metadata/managedFields');
  return Array.isArray(managers) && managers.some((entry) => valueAt(entry, '/manager') === controllersName);
}

/** Whether the recorded answer to a write includes a status from controllers. */
const showsControllersWork = ({ do: request, expect, ignore = [] }: Step): boolean =>
  request !== undefined && !request.startsWith('GET ') && !ignore.includes('/status') && writtenByControllers(expect?.body);

const keptOf = (value: unknown, pointers: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(pointers.map((pointer) => [pointer, valueAt(value, pointer) ?? null]));

/** Only the headers that clients use. */
function recordedHeaders({ headers }: Answer): Record<string, string | readonly string[]> {
  const { warning, 'content-type': type, 'retry-after': retryAfter } = headers as Readonly<Record<string, string | undefined>>;
  return {
    ...(warning ? { warning: warning.split(/, (?=\d{3} )/) } : {}),
    ...(type && !type.startsWith('application/json') ? { 'content-type': type } : {}),
    ...(retryAfter ? { 'retry-after': '<n>' } : {}),
  };
}

function holds(answer: Answer, where: Readonly<Record<string, unknown>>): boolean {
  const body = parsed(answer.text);
  return Object.entries(where).every(([pointer, value]) =>
    pointer === 'status' ? answer.status === value : JSON.stringify(valueAt(body, pointer) ?? null) === JSON.stringify(value),
  );
}
