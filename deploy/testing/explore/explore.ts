import { Connection } from '../../../controllers/client/connection.js';
import type { KubeObject } from '../../../api/meta/object.js';
import { resource } from '../../../api/meta/resource.js';
import { RestApi } from '../../../controllers/client/rest.js';
import { issueCertificate } from '../../certificates.js';
import type { ClientConfig } from '../identity.js';
import type { TestCluster } from '../testCluster.js';
import { deletionsOf, type Violation } from './judgement.js';
import type { Operator } from './operator.js';
import { changesFor, schemaOf } from './change.js';
import { playChange } from './differential.js';
import type { Plan } from './perturbation.js';
import { plansFor, stableEntries } from './plans.js';
import { startupOf, type Entry } from './record.js';
import { play, type Reference, type RunResult, type Setting } from './run.js';
import { stepsOf, type ScenarioStep } from './scenario.js';
import { differencesOf, nameOf, noiseOf, type Noise } from './state.js';

/** The cluster that an operator runs against, and what else it needs. */
export interface ExploredCluster {
  readonly cluster: TestCluster;
  readonly operator: Operator;
  /** The operator's user (`createUser`); an administrator unless given. */
  readonly user?: ClientConfig;
}

export interface ExploreOptions extends ExploredCluster {
  /** Further clusters with the same contents and their own operator, for plans in parallel. */
  readonly furtherClusters?: readonly ExploredCluster[];
  readonly scenario: readonly ScenarioStep[];
  readonly expect?: (state: readonly KubeObject[]) => unknown;
  readonly budgetMs?: number;
  /** 0, the default, takes plans as they come. */
  readonly seed?: number;
  /** Only these. */
  readonly plans?: readonly Plan[];
  /** Also tests changes of custom resources by their schema. Default true. */
  readonly changes?: boolean;
  /** Limit of the wait for each state. Default 15,000; four times as much for undisturbed runs. */
  readonly timeoutMs?: number;
  /** Time without requests after which an undisturbed operator has finished a step. Default 800. */
  readonly restMs?: number;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

export interface Progress {
  readonly phase: 'reference' | 'plans';
  readonly done: number;
  readonly total: number;
  readonly findings: number;
  readonly estimateMs: number;
}

export interface Finding {
  /** Null for a violation in the undisturbed run. */
  readonly perturbation: Plan | null;
  readonly violations: readonly Violation[];
  readonly record: readonly Entry[];
  readonly output: string;
  readonly others: readonly Plan[];
}

export interface Exploration {
  readonly findings: readonly Finding[];
  readonly requests: number;
  readonly plans: number;
  readonly run: number;
  readonly notReached: number;
  /** Plans whose violation was not reproduced: they are not findings. */
  readonly unconfirmed: readonly Plan[];
  readonly tookMs: number;
}

const definitions = resource<KubeObject>({
  apiVersion: 'apiextensions.k8s.io/v1',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
});
const defaultRestMs = 800;
/** Factor for the time of undisturbed runs, and for the rest in a second pair of runs after a difference or in a retried plan. */
const restFactor = 4;
/** Only a first run gives up early. */
const idleMs = 2_500;
const timeoutDefaultMs = 15_000;

/** Disturbs an operator at every place of a scenario, one place per run. Rejects when the operator does not run at all. */
export async function explore(options: ExploreOptions): Promise<Exploration> {
  const explored = [options, ...(options.furtherClusters ?? [])];
  const settings = await Promise.all(explored.map((each) => settingOf(options, each)));
  try {
    return await new Exploring(options, settings).all();
  } finally {
    for (const { connection } of settings) connection.close();
    await Promise.all(settings.map(({ cluster }) => cluster.reset()));
  }
}

async function settingOf(options: ExploreOptions, { cluster, operator, user = cluster.admin }: ExploredCluster): Promise<Setting> {
  const { scenario, expect, timeoutMs = timeoutDefaultMs, restMs = defaultRestMs, signal } = options;
  await cluster.begin();
  const certificate = await issueCertificate(cluster.authority, {
    commonName: 'operator gateway',
    usages: ['serverAuth'],
    ipAddresses: ['127.0.0.1'],
  });
  return {
    cluster,
    operator,
    identity: user,
    certificate,
    connection: new Connection(cluster.admin),
    steps: stepsOf(scenario),
    expect,
    timeoutMs,
    idleMs: Math.min(idleMs, timeoutMs),
    restMs,
    quietFactor: 1,
    signal,
  };
}

class Exploring {
  readonly #options: ExploreOptions;
  readonly #settings: readonly Setting[];
  readonly #setting: Setting;
  readonly #begunMs = performance.now();
  readonly #found = new Map<string, Finding>();
  readonly #unconfirmed: Plan[] = [];
  #usual: ReadonlySet<Violation['judgement']> = new Set();
  #notReached = 0;
  #run = 0;

  constructor(options: ExploreOptions, settings: readonly Setting[]) {
    this.#options = options;
    this.#settings = settings;
    this.#setting = settings[0]!;
  }

  async all(): Promise<Exploration> {
    const { reference, records } = await this.#reference();
    const entries = stableEntries(records);
    const plans = this.#options.plans ?? (await this.#plans(entries));
    if (reference !== null) await this.#tryAll(reference, plans);
    return {
      findings: [...this.#found.values()],
      requests: entries.filter(({ event }) => event === undefined).length,
      plans: plans.length,
      run: this.#run,
      notReached: this.#notReached,
      unconfirmed: this.#unconfirmed,
      tookMs: Math.round(performance.now() - this.#begunMs),
    };
  }

  async #tryAll(reference: Reference, plans: readonly Plan[]): Promise<void> {
    const queue = plans.values();
    const ends = await Promise.allSettled(
      this.#settings.map(async (setting) => {
        for (const plan of queue) {
          if (this.#isOver()) return;
          await this.#try(setting, reference, plan);
          this.#progress('plans', this.#run, plans.length);
        }
      }),
    );
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed && !this.#setting.signal?.aborted) throw failed.reason;
  }

  async #plans(entries: readonly Entry[]): Promise<readonly Plan[]> {
    const { seed = 0, changes = true } = this.#options;
    const written = new Set(this.#setting.steps.flatMap(({ objects }) => objects.flatMap(({ kind = [] }) => kind)));
    return plansFor(entries, { seed, written, changes: changes ? await this.#changes() : [] });
  }

  async #changes(): Promise<readonly Plan[]> {
    const api = new RestApi({ connection: this.#setting.connection, userAgent: 'raftplane-testing' });
    const { items } = await api.list(definitions, {});
    const applied = this.#setting.steps.flatMap(({ does, objects }) => (does === 'apply' ? objects : []));
    const first = applied.filter((object, index) => applied.findIndex((other) => nameOf(other) === nameOf(object)) === index);
    return changesFor(
      first.flatMap((object) => {
        const schema = schemaOf(items, object);
        return schema ? [[object, schema] as const] : [];
      }),
    );
  }

  async #reference(): Promise<{ readonly reference: Reference | null; readonly records: readonly (readonly Entry[])[] }> {
    let pair = await this.#pair(1);
    if (pair.noise.size > 0 || kindsOf(pair.first) !== kindsOf(pair.second)) pair = await this.#pair(restFactor);
    const { first, second, noise } = pair;
    const records = [first.record, second.record];
    const cutShort = [first, second].find(({ states }) => states.length <= this.#setting.steps.length);
    const inBoth = sharedWith(first.violations, second.violations);
    if (cutShort) this.#keep(null, cutShort);
    else if (inBoth.length > 0) this.#keep(null, { ...second, violations: inBoth });
    this.#usual = new Set([first, second].flatMap(judgementsOf));
    return {
      reference: cutShort ? null : { states: first.states, noise, startup: startupOf(records), deletions: deletionsOf(records) },
      records,
    };
  }

  async #pair(rests: number): Promise<{ readonly first: RunResult; readonly second: RunResult; readonly noise: Noise }> {
    const { restMs, timeoutMs } = this.#setting;
    const setting = { ...this.#setting, restMs: restMs * rests, timeoutMs: timeoutMs * restFactor };
    const first = await play(setting, null, null);
    this.#progress('reference', 1, 2);
    const second = await play(setting, null, null);
    this.#progress('reference', 2, 2);
    const differences = first.states.flatMap((state, step) => differencesOf(state, second.states[step] ?? new Map()));
    return { first, second, noise: noiseOf(differences) };
  }

  #play(setting: Setting, reference: Reference, plan: Plan): Promise<RunResult> {
    return plan.kind === 'change' ? playChange(setting, reference, plan) : play(setting, reference, plan);
  }

  async #try(setting: Setting, reference: Reference, plan: Plan): Promise<void> {
    const result = await this.#play(setting, reference, plan);
    this.#run++;
    if (!result.reached) this.#notReached++;
    const violations = this.#newIn(result);
    if (!result.reached || violations.length === 0) return;
    if (this.#found.has(keyOf(violations))) return this.#keep(plan, { ...result, violations });
    const again = await this.#play({ ...setting, idleMs: setting.timeoutMs, quietFactor: restFactor }, reference, plan);
    const inBoth = sharedWith(violations, this.#newIn(again));
    if (again.reached && inBoth.length > 0) this.#keep(plan, { ...again, violations: inBoth });
    else this.#unconfirmed.push(plan);
  }

  #newIn({ violations }: RunResult): readonly Violation[] {
    return violations.filter(({ judgement }) => !this.#usual.has(judgement));
  }

  #keep(perturbation: Plan | null, result: RunResult): void {
    const { violations, record, output } = result;
    const key = perturbation === null ? '' : keyOf(violations);
    const known = this.#found.get(key);
    if (known && perturbation) this.#found.set(key, { ...known, others: [...known.others, perturbation] });
    else this.#found.set(key, { perturbation, violations, record, output, others: [] });
  }

  #isOver(): boolean {
    const { budgetMs = Infinity, signal } = this.#options;
    return (signal?.aborted ?? false) || performance.now() - this.#begunMs >= budgetMs;
  }

  #progress(phase: Progress['phase'], done: number, total: number): void {
    const tookMs = performance.now() - this.#begunMs;
    const { budgetMs = Infinity } = this.#options;
    const estimateMs = Math.min(Math.round((tookMs / done) * (total - done)), Math.max(0, Math.round(budgetMs - tookMs)));
    this.#options.onProgress?.({ phase, done, total, findings: this.#found.size, estimateMs });
  }
}

const judgementsOf = ({ violations }: RunResult): readonly Violation['judgement'][] => violations.map(({ judgement }) => judgement);
const sharedWith = (first: readonly Violation[], second: readonly Violation[]): readonly Violation[] =>
  second.filter(({ judgement }) => first.some((other) => other.judgement === judgement));
const kindsOf = (result: RunResult): string => judgementsOf(result).join();
/** Findings with one effect mostly have one cause. */
const keyOf = (violations: readonly Violation[]): string =>
  JSON.stringify(violations.map(({ judgement, details }) => [judgement, details]));
