import { isObject } from '../../api/json/json.js';
import type { Connection } from './connection.js';
import { filled, variationPlaceholders, type Names } from './placeholders.js';
import { leavesOf, parentOf } from './pointers.js';
import { randomWord } from './player.js';
import type { Bases, Change, Edit, Outcome, Variations } from './recordings.js';

/** The comparison with the recorded answer: `same` and `wording` pass; others name the difference. */
export type Verdict = 'same' | 'wording' | 'status' | 'reason' | 'causes' | 'object' | 'changes' | 'warnings';
export interface VariationResult {
  readonly id: string;
  readonly verdict: Verdict;
  readonly want: Outcome;
  readonly got: Outcome;
}

/** A server for requests with JSON answers. */
export type Asked = Pick<Connection, 'json'>;

/** Attempts at an update with conflicts. */
const triesMax = 5;

/** Plays all cases of one resource in order. Only updated objects are stored, and deleted at the end. */
export async function playVariations(connection: Asked, name: string, variations: Variations): Promise<VariationResult[]> {
  const ids = idsOf(name, variations);
  const outcomes = await outcomesOf(connection, variations, variations.cases);
  return outcomes.map((got, index) => {
    const want = ofAnybody(variations.cases[index]?.expect ?? { status: 0 });
    return { id: ids[index] ?? '', verdict: verdictOf(want, got), want, got };
  });
}

/** Removes what depends on the recorder: its certificate, and an authority that its distribution mounts into pods. */
function ofAnybody(recorded: Outcome): Outcome {
  if (recorded.object === undefined) return recorded;
  return { ...recorded, object: withoutDistribution(variationPlaceholders(recorded.object, {})) };
}

const distributionsOwn = 'openshift-service-ca.crt';

/** Removes what the recorder's distribution adds to pods. */
export function withoutDistribution(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((each) => !namesDistribution(each)).map(withoutDistribution);
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutDistribution(member)])) : value;
}

const namesDistribution = (source: unknown): boolean =>
  isObject<{ configMap?: { name?: string } }>(source) && source.configMap?.name === distributionsOwn;

/** The answers to changed objects of one resource, in order; status 0 without an answer. */
export async function outcomesOf(connection: Asked, bases: Bases, changes: readonly Change[]): Promise<Outcome[]> {
  const player = new Player(connection, bases);
  const outcomes: Outcome[] = [];
  await player.begin();
  for (const change of changes)
    outcomes.push(await player.outcome(change).catch((error: unknown): Outcome => ({ status: 0, reason: String(error) })));
  await player.end();
  return outcomes;
}

/** Names cases by their change, so that names stay stable; equal ones are numbered. */
function idsOf(name: string, { cases }: Variations): string[] {
  const seen = new Map<string, number>();
  return cases.map(({ base, verb, edit = [] }) => {
    const id = [
      name,
      verb,
      base,
      ...edit.map((each) => ('drop' in each ? `${each.at} dropped` : `${each.at} ${JSON.stringify(each.set)}`)),
    ].join(' ');
    const count = (seen.get(id) ?? 0) + 1;
    seen.set(id, count);
    return count === 1 ? id : `${id} (${count})`;
  });
}

class Player {
  readonly #connection: Asked;
  readonly #bases: Bases;
  readonly #names: Names = { ns: `v-${randomWord()}`, r: randomWord() };
  readonly #path: string;
  readonly #stored = new Set<string>();
  /** Answers to unchanged objects, by verb and base. */
  readonly #plain = new Map<string, unknown>();

  constructor(connection: Asked, bases: Bases) {
    this.#connection = connection;
    this.#bases = bases;
    this.#path = filled(bases.resource, this.#names);
  }

  async begin(): Promise<void> {
    const namespace = String(this.#names['ns']);
    await this.#connection.json('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await this.#connection.json('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default' },
    });
  }

  async end(): Promise<void> {
    const isClusterScoped = !this.#bases.resource.includes('${ns}');
    for (const base of isClusterScoped ? this.#stored : [])
      await this.#connection.json('DELETE', `${this.#path}/${nameOf(this.#base(base))}?gracePeriodSeconds=0`);
    await this.#connection.json('DELETE', `/api/v1/namespaces/${String(this.#names['ns'])}`);
  }

  async outcome({ verb, base, edit }: Change): Promise<Outcome> {
    const edits = filled(edit ?? [], this.#names);
    const answer = verb === 'create' ? await this.#create(base, edits) : await this.#update(base, edits);
    const key = `${verb} ${base}`;
    const outcome = outcomeOf(answer, this.#names, edit === undefined ? null : (this.#plain.get(key) ?? {}));
    if (edit === undefined) this.#plain.set(key, outcome.object ?? {});
    return outcome;
  }

  #base(id: string): Base {
    return filled(structuredClone(this.#bases.bases[id]), this.#names) as Base;
  }

  async #create(id: string, edits: readonly Edit[]): Promise<Answered> {
    const object = this.#base(id);
    object.metadata.name = `${object.metadata.name}n`;
    for (const edit of edits) apply(object, edit);
    return this.#connection.json('POST', `${this.#path}?dryRun=All`, object);
  }

  async #update(id: string, edits: readonly Edit[]): Promise<Answered> {
    const object = this.#base(id);
    const path = `${this.#path}/${nameOf(object)}`;
    if (!this.#stored.has(id)) {
      this.#stored.add(id);
      await this.#connection.json('POST', this.#path, object);
    }
    for (let tries = 1; ; tries++) {
      const { body: stored } = await this.#connection.json('GET', path);
      for (const edit of edits) apply(stored, edit);
      const answer = await this.#connection.json('PUT', `${path}?dryRun=All`, stored);
      if (answer.status !== 409 || tries === triesMax || !(answer.body as Refusal).message?.includes('has been modified')) return answer;
    }
  }
}

interface Base {
  readonly metadata: { name: string };
}
interface Answered {
  readonly status: number;
  readonly body: unknown;
  readonly warning: string | undefined;
}
interface Refusal {
  readonly reason?: string;
  readonly message?: string;
  readonly text?: string;
  readonly details?: { readonly causes?: readonly { readonly field?: string; readonly reason?: string; readonly message?: string }[] };
}

const nameOf = ({ metadata }: Base): string => metadata.name;

function apply(object: unknown, edit: Edit): void {
  const { parent, last } = parentOf(object, edit.at);
  if ('set' in edit) parent[last] = edit.set;
  else if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete parent[last];
}

/** `plain` is the answer to the unchanged object; null when this is it. */
function outcomeOf({ status, body, warning }: Answered, names: Names, plain: unknown): Outcome {
  const warnings =
    warning === undefined ? {} : { warnings: warning.split(/, (?=\d{3} )/).map((each) => variationPlaceholders(each, names) as string) };
  if (status >= 300) return { ...refusal(status, body as Refusal, names), ...warnings };
  const object = variationPlaceholders(withoutServersOwn(body), names);
  return { status, ...(plain === null ? { object } : { changes: changesOf(plain, object) }), ...warnings };
}

function refusal(status: number, { reason = '', message, text = '', details }: Refusal, names: Names): Outcome {
  const said = (words: string): string => variationPlaceholders(words, names) as string;
  const causes = (details?.causes ?? []).map((cause) => [cause.field ?? '', cause.reason ?? '', said(cause.message ?? '')] as const);
  return { status, reason, ...(causes.length > 0 ? { causes } : { message: said(message ?? text) }) };
}

const serversOwn = ['managedFields', 'uid', 'creationTimestamp', 'resourceVersion', 'namespace', 'selfLink'];
const controllersOwn = 'deployment.kubernetes.io/revision';

function withoutServersOwn(body: unknown): unknown {
  const { status: _, ...object } = structuredClone(body) as Record<string, unknown>;
  const metadata = (object['metadata'] ?? {}) as Record<string, unknown>;
  for (const member of serversOwn) delete metadata[member];
  const annotations = metadata['annotations'];
  if (isObject<Record<string, unknown>>(annotations)) {
    delete annotations[controllersOwn];
    if (Object.keys(annotations).length === 0) delete metadata['annotations'];
  }
  return object;
}

function changesOf(before: unknown, after: unknown): Record<string, unknown> {
  const [a, b] = [leavesOf(before), leavesOf(after)];
  return Object.fromEntries(
    [...new Set([...a.keys(), ...b.keys()])]
      .filter((at) => JSON.stringify(a.get(at)) !== JSON.stringify(b.get(at)))
      .map((at) => [at, b.get(at) ?? null]),
  );
}

/** Causes are a set of wrong fields and reasons. */
function verdictOf(want: Outcome, got: Outcome): Verdict {
  if (want.status !== got.status) return 'status';
  const sameWarnings = text(want.warnings) === text(got.warnings);
  if (want.status >= 300) {
    if (want.reason !== got.reason) return 'reason';
    if (text(fieldsOf(want)) !== text(fieldsOf(got))) return 'causes';
    return text(messagesOf(want)) === text(messagesOf(got)) && want.message === got.message && sameWarnings ? 'same' : 'wording';
  }
  if (text(want.object) !== text(got.object)) return 'object';
  if (text(want.changes) !== text(got.changes)) return 'changes';
  if ((want.warnings?.length ?? 0) !== (got.warnings?.length ?? 0)) return 'warnings';
  return sameWarnings ? 'same' : 'wording';
}

export const passes = ({ verdict }: VariationResult): boolean => verdict === 'same' || verdict === 'wording';

const fieldsOf = ({ causes = [] }: Outcome): string[] => causes.map(([field, reason]) => `${field} ${reason}`).sort();
const messagesOf = ({ causes = [] }: Outcome): string[] => causes.map(([, , message]) => message).sort();
/** Ignores the order of members. */
const text = (value: unknown): string =>
  JSON.stringify(value ?? null, (_, each: unknown) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each,
  );
