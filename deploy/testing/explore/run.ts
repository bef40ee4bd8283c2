import { buffer } from 'node:stream/consumers';
import type { KubeObject } from '../../../api/meta/object.js';
import type { Connection } from '../../../controllers/client/connection.js';
import type { ConnectionSettings } from '../../../controllers/client/kubeconfig.js';
import type { KeyAndCertificate } from '../../certificateRequest.js';
import { kubeconfigText } from '../../kubeconfig.js';
import { objectsIn } from '../contents.js';
import type { TestCluster } from '../testCluster.js';
import { Gateway, parsedJson, sendAs } from './gateway.js';
import {
  differs,
  furtherDeletions,
  leftovers,
  overwritten,
  panicIn,
  vainWrites,
  wrongGenerations,
  type Deletions,
  type Violation,
} from './judgement.js';
import type { Operator } from './operator.js';
import type { Perturbation } from './perturbation.js';
import { ProcessorWaits } from './processorWaits.js';
import { Recorder, type Entry } from './record.js';
import type { Step } from './scenario.js';
import { Stage } from './stage.js';
import {
  awaitingRemoval,
  differencesOf,
  nameOf,
  ownAnnotation,
  stateOf,
  straysIn,
  uncompared,
  withoutOrphans,
  type Difference,
  type Noise,
  type State,
} from './state.js';
import { Turns } from './turns.js';
import { errorText } from '../../../api/errorText.js';

export interface Setting {
  readonly cluster: TestCluster;
  readonly operator: Operator;
  readonly steps: readonly Step[];
  readonly identity: ConnectionSettings & { readonly ca: string; readonly cert: string; readonly key: string };
  readonly certificate: KeyAndCertificate;
  readonly connection: Connection;
  readonly expect: ((state: readonly KubeObject[]) => unknown) | undefined;
  readonly timeoutMs: number;
  /** An operator without requests for this time is given up. */
  readonly idleMs: number;
  /** After this time an undisturbed operator has done its work. */
  readonly restMs: number;
  /** Factor for the required silence where a state is expected. */
  readonly quietFactor: number;
  readonly signal: AbortSignal | undefined;
}

export interface Reference {
  /** States after the start and after each step; undefined accepts any state at rest. */
  readonly states: readonly (State | undefined)[];
  readonly noise: Noise;
  readonly startup: ReadonlySet<string>;
  readonly deletions: Deletions;
  /** The source of its states; the undisturbed run unless given. */
  readonly where?: string;
}

export interface RunResult {
  readonly record: readonly Entry[];
  readonly states: readonly State[];
  readonly reached: boolean;
  readonly violations: readonly Violation[];
  readonly output: string;
}

/** The operator may spoil a wanted state for this long. */
const quietMs = 100;
const heldQuietMs = 300;
/** Most restarts of an ended operator, in place of a kubelet. */
const restartsMax = 5;
/** Part of a step's time. */
const removalPart = 1 / 2;

/** Waits for the reference's states, or without a reference for rest. */
export async function play(setting: Setting, reference: Reference | null, perturbation: Perturbation | null): Promise<RunResult> {
  const run = new Run(setting, reference, perturbation);
  try {
    return await run.play();
  } finally {
    await run.end();
  }
}

class Run {
  readonly #setting: Setting;
  readonly #reference: Reference | null;
  readonly #perturbation: Perturbation | null;
  readonly #recorder = new Recorder();
  readonly #stage: Stage;
  readonly #states: State[] = [];
  readonly #violations: Violation[] = [];
  readonly #waits: ProcessorWaits;
  #gateway: Gateway | null = null;
  #starts = 0;
  #exits = 0;
  #isOver = false;
  #isRunning = false;
  /** A state did not come, so what follows says nothing. */
  #isLost = false;
  #changing: Promise<void> = Promise.resolve();
  #failure: Error | null = null;
  #output = '';
  /** The output of this start when its connections were cut; null before. */
  #said: string | null = null;

  constructor(setting: Setting, reference: Reference | null, perturbation: Perturbation | null) {
    this.#setting = setting;
    this.#reference = reference;
    this.#perturbation = perturbation;
    const { operator } = setting;
    this.#waits = new ProcessorWaits(() => [process.pid, operator.pid?.()].filter((pid) => pid !== undefined));
    this.#stage = new Stage(this.#recorder, perturbation, {
      crash: () => this.#restart(),
      touch: (path) => this.#touch(path),
      version: () => this.#version(),
      send: (asked) => sendAs(setting.identity, asked),
    });
  }

  async play(): Promise<RunResult> {
    const { cluster, steps, operator, expect } = this.#setting;
    await cluster.reset();
    operator.onExit?.((how) => this.#exited(how));
    await this.#start();
    await this.#arrive('start', 0);
    for (const [index, step] of steps.entries()) {
      if (this.#isLost) break;
      this.#recorder.step = index + 1;
      await (step.does === 'apply' ? cluster.apply(step.objects) : cluster.delete(step.objects));
      this.#recorder.stir();
      await this.#arrive(step.name, index + 1);
      if (!this.#isLost && (await this.#stage.rest(index + 1))) {
        await this.#changing;
        await this.#arrive(step.name, index + 1);
      }
      if (expect) await this.#expected(expect, step.name);
    }
    if (!this.#isLost) this.#note(leftovers(await this.#left()));
    await this.end();
    this.#note(panicIn(this.#output));
    const { entries: record } = this.#recorder;
    for (const violation of vainWrites(record)) this.#note(violation);
    if (this.#reference !== null && this.#perturbation?.kind === 'past') this.#note(furtherDeletions(record, this.#reference.deletions));
    return { record, states: this.#states, reached: this.#stage.reached, violations: this.#violations, output: this.#output };
  }

  async end(): Promise<void> {
    this.#isOver = true;
    this.#stage.end();
    this.#cut();
    await this.#changing.catch(() => undefined);
    this.#cut();
    await this.#stop();
  }

  async #start(): Promise<void> {
    if (this.#isOver) return;
    const { certificate, identity, operator } = this.#setting;
    const incarnation = this.#starts++;
    const gateway = await Gateway.open(certificate, identity, (asked, forward) => this.#stage.meet(incarnation, asked, forward));
    this.#gateway = gateway;
    const { ca, cert, key } = identity;
    this.#isRunning = true;
    const server = gateway.url;
    await operator.start({
      server,
      ca,
      cert,
      key,
      kubeconfig: kubeconfigText({ server, ca, user: 'operator', cert, key, name: 'raftplane' }),
    });
    this.#recorder.stir();
  }

  /** Drops everything that the operator still sends, and ignores the errors that it logs about it. */
  #cut(): void {
    if (this.#isRunning) this.#said ??= this.#setting.operator.output?.() ?? '';
    this.#gateway?.cut();
  }

  #restart(): Promise<void> {
    this.#cut();
    this.#changing = this.#changing
      .then(async () => {
        await this.#stop();
        await this.#start();
      })
      .catch((error: unknown) => {
        this.#failure ??= error instanceof Error ? error : new Error(String(error));
      });
    return Promise.resolve();
  }

  #exited(how: string): void {
    if (this.#isOver) return;
    this.#exits++;
    if (this.#exits <= restartsMax) void this.#restart();
    else
      this.#failure ??= new OperatorFailed(
        `the operator ended by itself ${this.#exits} times, the last time with ${how}`,
        this.#setting.operator.output?.() ?? '',
      );
  }

  async #stop(): Promise<void> {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    await this.#setting.operator.stop();
    this.#output += this.#said ?? '';
    this.#said = null;
  }

  async #touch(path: string): Promise<string | null> {
    const body = Buffer.from(JSON.stringify({ metadata: { annotations: { [ownAnnotation]: 'was here' } } }));
    const headers = { 'content-type': 'application/merge-patch+json', 'content-length': String(body.length), accept: 'application/json' };
    const { status, stream } = await this.#setting.connection.request({ method: 'PATCH', path, headers, body });
    const { metadata } = (parsedJson(await buffer(stream)) ?? {}) as Partial<KubeObject>;
    return status === 200 ? (metadata?.uid ?? null) : null;
  }

  async #version(): Promise<string> {
    const request = { method: 'GET', path: '/api/v1/namespaces?limit=1', headers: { accept: 'application/json' } };
    const { stream } = await this.#setting.connection.request(request);
    const { metadata } = parsedJson(await buffer(stream)) as KubeObject;
    return metadata.resourceVersion ?? '';
  }

  async #arrive(name: string, step: number): Promise<void> {
    const { timeoutMs, idleMs, signal } = this.#setting;
    const target = this.#reference?.states[step];
    const begin = (): Turns => new Turns(this.#recorder, this.#waits, signal);
    let turns = begin();
    let starts = this.#starts;
    let differences: readonly Difference[] = [];
    for (;;) {
      signal?.throwIfAborted();
      if (this.#failure !== null) return this.#failed(this.#failure);
      // A start takes its own time.
      if (starts !== this.#starts) [turns, starts] = [begin(), this.#starts];
      const isAtEnd = turns.waitedMs >= timeoutMs;
      let isQuiet = turns.quietMs >= this.#quietMs(step) && this.#hasStarted();
      if (isQuiet || (target && isAtEnd)) {
        const moment = this.#recorder.stirs;
        const seen = await this.#look(step, isQuiet, turns.waitedMs < timeoutMs * removalPart);
        if (seen === 'arrived') return;
        differences = seen;
        isQuiet &&= moment === this.#recorder.stirs;
      }
      if (this.#stage.hold && (isQuiet || isAtEnd)) {
        await this.#stage.release();
        turns = begin();
        continue;
      }
      const isIdle = target !== undefined && differences.length > 0 && turns.quietMs >= idleMs;
      if (isIdle || isAtEnd) return this.#gaveUp(name, differences);
      await turns.next(differences.length > 0 ? 5 : 1);
    }
  }

  /** The last step waits longer for an unreached place: the event of the last write may still be on its way. */
  #quietMs(step: number): number {
    const { quietFactor, steps, restMs } = this.#setting;
    if (this.#stage.hold) return heldQuietMs * quietFactor;
    const mayCome = !this.#stage.reached && step === steps.length;
    return this.#reference?.states[step] === undefined || mayCome ? restMs : quietMs * quietFactor;
  }

  /** Returns the differences from the expected state, which counts only at rest. */
  async #look(step: number, isQuiet: boolean, mayAwait: boolean): Promise<'arrived' | readonly Difference[]> {
    const target = this.#reference?.states[step];
    const moment = this.#recorder.stirs;
    const objects = await this.#objects();
    const state = stateOf(objects);
    const differences = target ? differencesOf(target, state, this.#reference?.noise) : [];
    if (isQuiet && mayAwait && this.#setting.cluster.hasControllers && awaitingRemoval(objects)) this.#recorder.stir();
    if (target && step === 0) await this.#setting.cluster.delete(straysIn(objects, target));
    if (!isQuiet || moment !== this.#recorder.stirs) return differences;
    const isThere = differences.length === 0 && !this.#mustRelease(step);
    if (!isThere && !(target && this.#mayMiss(step, objects))) return differences;
    this.#states[step] = isThere ? state : target!;
    if (isThere) for (const judge of [wrongGenerations, overwritten]) this.#note(judge(objects, this.#stage.touched));
    return 'arrived';
  }

  /** A hold of this step may last to the end of the next one. */
  #mustRelease(step: number): boolean {
    const { hold } = this.#stage;
    return hold !== null && (hold.pastStep !== step || step === this.#setting.steps.length);
  }

  /** An object that a finalizer keeps is not made again by the next step. */
  #mayMiss(step: number, objects: readonly KubeObject[]): boolean {
    if (!this.#stage.hold?.expires || this.#mustRelease(step)) return false;
    const { does, objects: own } = this.#setting.steps[step - 1]!;
    return does === 'apply' || !objects.some((there) => own.some((object) => isSameObject(there, object)));
  }

  #failed(error: Error): void {
    if (this.#reference === null || !(error instanceof OperatorFailed)) throw error;
    this.#isLost = true;
    this.#note({ judgement: 'starts', details: [error.message] });
  }

  #gaveUp(name: string, differences: readonly Difference[]): void {
    this.#isLost = true;
    if (!this.#hasStarted())
      return this.#note({ judgement: 'starts', details: [`after "${name}": the operator does not come back to where it watches`] });
    if (differences.length > 0) return this.#note(differs(name, differences, this.#reference?.where));
    const last = this.#recorder.entries.slice(-5).map(({ place }) => place.call);
    this.#note({ judgement: 'quiet', details: [`after "${name}": the operator does not become quiet; its last requests:`, ...last] });
  }

  #hasStarted(): boolean {
    const asked = new Set(
      this.#recorder.entries.filter(({ incarnation }) => incarnation === this.#starts - 1).map(({ place }) => place.call),
    );
    if (this.#reference === null) return asked.size > 0;
    return [...this.#reference.startup].every((call) => asked.has(call));
  }

  async #objects(): Promise<readonly KubeObject[]> {
    return objectsIn(await this.#setting.cluster.snapshot());
  }

  async #left(): Promise<readonly KubeObject[]> {
    const kept = new Set(this.#states[0]?.keys());
    return withoutOrphans(await this.#objects()).filter((object) => !uncompared.has(object.kind ?? '') && !kept.has(nameOf(object)));
  }

  async #expected(expect: NonNullable<Setting['expect']>, name: string): Promise<void> {
    try {
      if ((await expect(await this.#objects())) === false) throw new Error('what was expected does not hold');
    } catch (error) {
      this.#note({ judgement: 'expected', details: [`after "${name}": ${errorText(error)}`] });
    }
  }

  #note(violation: Violation | null): void {
    if (violation !== null) this.#violations.push(violation);
  }
}

const isSameObject = (there: KubeObject, { apiVersion, kind, metadata: { namespace = 'default', name } }: KubeObject): boolean =>
  there.apiVersion === apiVersion &&
  there.kind === kind &&
  there.metadata.name === name &&
  (there.metadata.namespace ?? namespace) === namespace;

class OperatorFailed extends Error {
  override readonly name = 'OperatorFailed';

  constructor(
    message: string,
    readonly output: string,
  ) {
    super(output === '' ? message : `${message}\n${output}`);
  }
}
