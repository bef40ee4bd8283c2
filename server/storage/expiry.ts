import type { ApiObject } from '../../api/object.js';
import type { GroupResource } from '../../api/resource.js';
import { inStep, type Repeated } from '../../program/files/inStep.js';
import type { Storage, StoredObject, Version } from './contract.js';
import { follow, type Following } from './follow.js';

export interface ExpiryOptions {
  readonly storage: Pick<Storage, 'watch' | 'delete'>;
  readonly resource: GroupResource;
  readonly ttlMs: number;
  /** Time for which objects share an expiry; at most a twentieth of `ttlMs`. Default 0. */
  readonly sharedMs?: number;
  readonly leads: () => Promise<boolean>;
  readonly clock: ExpiryClock;
  readonly report: (error: unknown) => void;
}

export interface ExpiryClock {
  /** Returns milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface Life {
  readonly namespace: string;
  readonly name: string;
  readonly version: Version;
  readonly writtenAt: number;
  readonly dueAt: number;
}

/** Clients need their share of the log. */
const removalsAtOnce = 16;
const removalsPerTurnMax = 1_000;
const intervalMsMax = 10_000;
const intervalMsMin = 250;
const writeTimeoutMs = 10_000;
/** A small extension of lifetimes, as in the reference. */
const sharedPartMax = 0.05;

/** Every replica learns ages from observed writes, at the start from the objects; the leader removes. */
export class Expiry {
  readonly #options: ExpiryOptions;

  readonly #lives = new Map<string, Life>();
  readonly #following: Following;
  #sharedSince = Number.NEGATIVE_INFINITY;
  #sorted = false;
  #timer: Repeated | null = null;
  #turn: Promise<void> | null = null;

  constructor(options: ExpiryOptions) {
    this.#options = options;
    this.#following = follow(options.storage, options.resource, {
      put: (object) => {
        this.#seen(object);
      },
      remove: (namespace, name) => {
        this.#lives.delete(`${namespace}/${name}`);
      },
    });
  }

  start(): void {
    const interval = Math.min(Math.max(this.#options.ttlMs / 10, intervalMsMin), intervalMsMax);
    this.#timer = inStep(interval, () => void this.turn());
  }

  stop(): void {
    this.#timer?.stop();
    this.#following.stop();
  }

  /** Removes due objects, if this replica leads. */
  turn(): Promise<void> {
    this.#turn ??= this.#removeDue()
      .catch(this.#options.report)
      .finally(() => {
        this.#turn = null;
      });
    return this.#turn;
  }

  #seen(object: StoredObject): void {
    const { namespace, name, version } = object;
    const key = `${namespace}/${name}`;
    this.#lives.delete(key);
    const writtenAt = this.#options.clock.elapsed() - (this.#sorted ? 0 : this.#ageOf(object));
    this.#lives.set(key, { namespace, name, version, writtenAt, dueAt: this.#sorted ? this.#dueAt(writtenAt) : 0 });
  }

  /** Call it in order of writes. */
  #dueAt(writtenAt: number): number {
    const { ttlMs, sharedMs = 0 } = this.#options;
    const shared = Math.min(sharedMs, ttlMs * sharedPartMax);
    if (writtenAt > this.#sharedSince + shared) this.#sharedSince = writtenAt;
    return this.#sharedSince + shared + ttlMs;
  }

  #ageOf(object: StoredObject): number {
    try {
      const writtenAt = lastWritten(object.decode());
      return writtenAt === null ? 0 : Math.max(0, this.#options.clock.now() - writtenAt);
    } catch {
      // An unreadable object counts as just written.
      return 0;
    }
  }

  async #removeDue(): Promise<void> {
    await this.#following.synced;
    if (!this.#sorted) this.#sort();
    const due = this.#due();
    if (due.length === 0 || !(await this.#options.leads())) return;
    const next = due.values();
    const remove = async (): Promise<void> => {
      for (const { namespace, name, version } of next) {
        // A remaining object is due in the next turn.
        await this.#options.storage.delete({ resource: this.#options.resource, namespace, name }, version, { timeoutMs: writeTimeoutMs });
      }
    };
    await Promise.all(Array.from({ length: removalsAtOnce }, remove));
  }

  #due(): readonly Life[] {
    const now = this.#options.clock.elapsed();
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

function lastWritten({ metadata }: ApiObject): number | null {
  const times = [metadata.creationTimestamp, ...(metadata.managedFields ?? []).map(({ time }) => time)].map((time) =>
    Date.parse(String(time)),
  );
  const valid = times.filter((time) => !Number.isNaN(time));
  return valid.length === 0 ? null : Math.max(...valid);
}
