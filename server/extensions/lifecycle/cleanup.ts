import { setTimeout as delay } from 'node:timers/promises';
import type { ApiObject, JsonObject } from '../../../api/object.js';
import { StatusError } from '../../../api/status.js';
import type { Registry } from '../../registry/contract.js';
import type { Target } from '../../registry/target.js';
import { noDeleteOptions } from '../../registry/deletion.js';
import { everything } from '../../registry/everything.js';
import { itemsOf, membersOf } from '../../../api/json/members.js';
import type { ServedResource } from '../../registry/resources.js';
import { cleanupFinalizer } from '../definition.js';
import type { CustomResources } from '../definitions.js';
import { withCondition, type Condition } from './conditions.js';
import { ownWrites } from '../../registry/ownWrites.js';
import { errorText } from '../../../api/errorText.js';

export interface CleanupOptions {
  readonly resources: CustomResources;
  readonly registry: Registry;
  readonly target: (name: string) => Target;
  readonly now: () => string;
  readonly signal: AbortSignal;
  readonly report: (name: string, error: unknown) => void;
}

/** Polling interval for the last object, which finalizers may hold. */
const firstLookMs = 50;
const lookMsMax = 5_000;
/** Time after which remaining objects are reported in the status, and deleted again. */
const waitMsMax = 60_000;
/** Time after which a server checks another one's deletion. */
const takeOverMs = 15_000;
const retryMs = 5_000;

const terminating = (status: 'True' | 'False', reason: string, message: string): Condition => ({
  type: 'Terminating',
  status,
  reason,
  message,
});
const inProgress = terminating('True', 'InstanceDeletionInProgress', 'CustomResource deletion is in progress');
const completed = terminating('False', 'InstanceDeletionCompleted', 'removed all instances');
const overlapping = terminating('False', 'OverlappingBuiltInResource', 'instances overlap with built-in resources in storage');
const neverEstablished = terminating('False', 'NeverEstablished', 'resource was never established');

/**
 * Deletes the objects of terminating definitions, then releases the definitions. The first server to announce it in the status does it; the others check
 * later.
 */
export class Cleanup {
  readonly #options: CleanupOptions;
  readonly #underWay = new Set<string>();

  constructor(options: CleanupOptions) {
    this.#options = options;
  }

  begin(name: string): void {
    if (this.#underWay.has(name)) return;
    this.#underWay.add(name);
    this.#cleanUp(name)
      .catch((error: unknown) => {
        if (!this.#options.signal.aborted) this.#options.report(name, error);
      })
      .finally(() => {
        this.#underWay.delete(name);
      });
  }

  async #cleanUp(name: string): Promise<void> {
    for (let first = true; this.#awaits(name); first = false) {
      this.#options.signal.throwIfAborted();
      const outcome = await this.#attempt(name, first).catch((error: unknown) => {
        this.#options.report(name, error);
        return 'failed' as const;
      });
      if (outcome === 'done') return;
      await this.#pause(outcome === 'otherServer' ? takeOverMs : retryMs);
    }
  }

  #awaits(name: string): boolean {
    return this.#options.resources.lifeCycles.some((lifeCycle) => lifeCycle.name === name && lifeCycle.awaitsCleanup);
  }

  /** `first`: leaves work to another server that has begun it. */
  async #attempt(name: string, first: boolean): Promise<'done' | 'failed' | 'otherServer'> {
    const [plural = '', ...group] = name.split('.');
    const resource = { group: group.join('.'), resource: plural };
    if (this.#options.resources.overlaps(resource)) return this.#letGo(name, overlapping);
    const type = this.#options.resources.typeOf(resource);
    if (type === null) return this.#letGo(name, neverEstablished);
    const said = await this.#say(name, inProgress, false);
    if (said === 'gone') return 'done';
    if (said === 'already' && first) return 'otherServer';
    const failure = type.whole === null ? null : await this.#deleteAll(type.whole);
    await this.#say(name, failure ?? completed, failure === null);
    return failure === null ? 'done' : 'failed';
  }

  /** The definition has no objects of its own. */
  async #letGo(name: string, condition: Condition): Promise<'done'> {
    await this.#say(name, condition, true);
    return 'done';
  }

  async #deleteAll(resource: ServedResource): Promise<Condition | null> {
    const { registry } = this.#options;
    const issue = (): Promise<unknown> =>
      registry.deleteCollection(
        resource,
        { ...everything, namespace: resource.namespaced ? null : '', consistency: { at: 'mostRecent' } },
        noDeleteOptions,
        ownWrites,
      );
    try {
      await issue();
    } catch (error) {
      return terminating('True', 'InstanceDeletionFailed', `could not issue all deletes: ${messageOf(error)}`);
    }
    let waited = 0;
    for (let pause = firstLookMs; waited < waitMsMax; pause = Math.min(pause * 2, lookMsMax)) {
      const left = await registry.list(resource, {
        ...everything,
        namespace: resource.namespaced ? null : '',
        consistency: { at: 'mostRecent' },
        limit: 1,
      });
      if (left.items.length === 0) return null;
      await this.#pause(pause);
      waited += pause;
    }
    return terminating(
      'True',
      'InstanceDeletionCheck',
      'could not confirm zero CustomResources remaining: timed out waiting for the condition',
    );
  }

  /** Writes the condition, and if `done` releases the definition. */
  async #say(name: string, condition: Condition, done: boolean): Promise<'said' | 'already' | 'gone'> {
    let already = false;
    const apply = (current: ApiObject | null): ApiObject => {
      const object: ApiObject = current ?? { metadata: {} };
      const status = membersOf(object['status']);
      const conditions = itemsOf(status['conditions']).map(membersOf);
      already = conditions.some((each) => each['type'] === condition.type && each['reason'] === condition.reason);
      const metadata = done
        ? { ...object.metadata, finalizers: (object.metadata.finalizers ?? []).filter((finalizer) => finalizer !== cleanupFinalizer) }
        : object.metadata;
      const next: JsonObject = { ...status, conditions: withCondition(conditions, condition, this.#options.now()) };
      return { ...object, metadata, status: next };
    };
    try {
      await this.#options.registry.update(
        this.#options.target(name),
        { apply, subresource: 'status', uid: null, mayCreate: null },
        ownWrites,
      );
      return already ? 'already' : 'said';
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return 'gone';
      throw error;
    }
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#options.signal });
  }
}

const messageOf = (error: unknown): string => errorText(error);
