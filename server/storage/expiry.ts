import type { ApiObject } from '../../api/object.js';
import type { GroupResource } from '../../api/resource.js';
import { inStep, type Repeated } from '../../program/files/inStep.js';
import type { Storage, StoredObject, Version } from './contract.js';
import { follow, type Following } from './follow.js';

export interface ExpiryOptions {
  readonly storage: Pick<Storage, 'watch' | 'delete'>;
  readonly resource: GroupResource;
  /** How long an object is kept after it was last written. */
  readonly ttlMs: number;
  /** How long objects share the moment at which they become due, counted from the first of them; a twentieth of `ttlMs` at most. Default: not at all. */
  readonly sharedMs?: number;
  /** Whether this replica is the one that removes; asked only when something is due. */
  readonly leads: () => Promise<boolean>;
  readonly clock: ExpiryClock;
  readonly report: (error: unknown) => void;
}

export interface ExpiryClock {
  /** Milliseconds of a clock that nobody sets. */
  readonly elapsed: () => number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface Life {
  readonly namespace: string;
  readonly name: string;
  readonly version: Version;
  readonly writtenAt: number;
  /** When it is due, if it is not written again. */
  readonly dueAt: number;
}

/** Removals at once: beside them, clients must get their turns in the log. */
const removalsAtOnce = 16;
/** Removals in one turn; what is left is due again in the next one. */
const removalsPerTurnMax = 1_000;
const intervalMsMax = 10_000;
const intervalMsMin = 250;
const writeTimeoutMs = 10_000;
/** As in the reference: nobody notices that something stays this much longer. */
const sharedPartMax = 0.05;

/**
 * Removes the objects of a resource some time after they were last written, as a lease does in etcd. Every replica knows all ages, from
 * the moments at which it has seen the writes; the leader removes. Nothing is stored for it, so ages of what is there at the start are
 * read out of the objects.
 */
export class Expiry {
  /** In the order in which they become due, once the first state is known. */
  readonly #lives = new Map<string, Life>();
  readonly #following: Following;
  /** When those became due together that come now began. */
  #sharedSince = Number.NEGATIVE_INFINITY;
  #sorted = false;
  #timer: Repeated | null = null;
  #turn: Promise<void> | null = null;

  constructor(private readonly options: ExpiryOptions) {
    this.#following = follow(options.storage, options.resource, {
      put: (object) => {
        this.#seen(object);
      },
      remove: (namespace, name) => {
        this.#lives.delete(`${namespace}/${name}`);
      },
    });
  }

  /** Begins to remove. */
  start(): void {
    const interval = Math.min(Math.max(this.options.ttlMs / 10, intervalMsMin), intervalMsMax);
    this.#timer = inStep(interval, () => void this.turn());
  }

  stop(): void {
    this.#timer?.stop();
    this.#following.stop();
  }

  /** Removes what is due, if this replica leads. A turn that is under way is not begun twice. */
  turn(): Promise<void> {
    this.#turn ??= this.#removeDue()
      .catch(this.options.report)
      .finally(() => {
        this.#turn = null;
      });
    return this.#turn;
  }

  #seen(object: StoredObject): void {
    const { namespace, name, version } = object;
    const key = `${namespace}/${name}`;
    // To the end: a Map keeps the order in which keys came.
    this.#lives.delete(key);
    const writtenAt = this.options.clock.elapsed() - (this.#sorted ? 0 : this.#ageOf(object));
    // Before all are known in their order, nobody can say who shares with whom.
    this.#lives.set(key, { namespace, name, version, writtenAt, dueAt: this.#sorted ? this.#dueAt(writtenAt) : 0 });
  }

  /** To be asked in the order of writing. */
  #dueAt(writtenAt: number): number {
    const { ttlMs, sharedMs = 0 } = this.options;
    const shared = Math.min(sharedMs, ttlMs * sharedPartMax);
    if (writtenAt > this.#sharedSince + shared) this.#sharedSince = writtenAt;
    return this.#sharedSince + shared + ttlMs;
  }

  #ageOf(object: StoredObject): number {
    try {
      const writtenAt = lastWritten(object.decode());
      return writtenAt === null ? 0 : Math.max(0, this.options.clock.now() - writtenAt);
    } catch {
      // It cannot be read, so it is as if it had just been written: whoever can read it later may still want it.
      return 0;
    }
  }

  async #removeDue(): Promise<void> {
    await this.#following.synced;
    if (!this.#sorted) this.#sort();
    const due = this.#due();
    if (due.length === 0 || !(await this.options.leads())) return;
    const next = due.values();
    const remove = async (): Promise<void> => {
      for (const { namespace, name, version } of next) {
        // Whatever comes of it: written meanwhile, it has another life; not removed, it is due again in the next turn.
        await this.options.storage.delete({ resource: this.options.resource, namespace, name }, version, { timeoutMs: writeTimeoutMs });
      }
    };
    await Promise.all(Array.from({ length: removalsAtOnce }, remove));
  }

  #due(): readonly Life[] {
    const now = this.options.clock.elapsed();
    const due: Life[] = [];
    for (const life of this.#lives.values()) {
      if (life.dueAt > now || due.length === removalsPerTurnMax) break;
      due.push(life);
    }
    return due;
  }

  #sort(): void {
    const lives = [...this.#lives].sort(([, a], [, b]) => a.writtenAt - b.writtenAt);
    this.#lives.clear();
    for (const [key, life] of lives) this.#lives.set(key, { ...life, dueAt: this.#dueAt(life.writtenAt) });
    this.#sorted = true;
  }
}

/** When the object was last written, as far as it says so itself, in milliseconds since 1970. */
function lastWritten({ metadata }: ApiObject): number | null {
  const times = [metadata.creationTimestamp, ...(metadata.managedFields ?? []).map(({ time }) => time)].map((time) =>
    Date.parse(String(time)),
  );
  const told = times.filter((time) => !Number.isNaN(time));
  return told.length === 0 ? null : Math.max(...told);
}
