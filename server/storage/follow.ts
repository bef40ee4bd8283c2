import type { GroupResource } from '../../api/resource.js';
import type { Storage, StoredObject, Watch, WatchRequest } from './contract.js';
import { DamagedValueError } from './encoding.js';

/** An existing object whose value is unreadable, and why. */
export interface Unreadable {
  readonly namespace: string;
  readonly name: string;
  readonly reason: string;
}

/** Called while changes are applied: must be quick and not throw. */
export interface Follower {
  put(object: StoredObject): void;
  remove(namespace: string, name: string): void;
  /** If absent, an unreadable object counts as removed: unknown permissions must not be granted. */
  unreadable?(object: Unreadable): void;
}

export interface Following {
  readonly synced: Promise<void>;
  stop(): void;
}

const restartDelayMs = 500;

type Scope = Pick<WatchRequest, 'namespace' | 'fields'>;
const everywhere: Scope = { namespace: null, fields: [] };

/** Shows objects and every change. After a broken watch, the shown state stays until the new one has come. */
export function follow(storage: Pick<Storage, 'watch'>, resource: GroupResource, follower: Follower, scope = everywhere): Following {
  const following = new FollowedResource(storage, { ...scope, resource }, follower);
  following.begin();
  return following;
}

type Name = Pick<StoredObject, 'namespace' | 'name'>;
const keyOf = ({ namespace, name }: Name): string => `${namespace}/${name}`;

class FollowedResource implements Following {
  readonly synced: Promise<void>;
  readonly #storage: Pick<Storage, 'watch'>;
  readonly #followed: Scope & { readonly resource: GroupResource };
  readonly #follower: Follower;
  readonly #known = new Map<string, Name>();
  #watch: Watch | null = null;
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;
  #settle: () => void = () => undefined;

  constructor(storage: Pick<Storage, 'watch'>, followed: Scope & { readonly resource: GroupResource }, follower: Follower) {
    this.#storage = storage;
    this.#followed = followed;
    this.#follower = follower;
    this.synced = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  begin(): void {
    const unseen = new Map(this.#known);
    this.#watch = this.#storage.watch(
      { ...this.#followed, labels: [], start: { at: 'any' }, initialEvents: true },
      {
        event: ({ type, object }) => {
          unseen.delete(keyOf(object));
          if (type === 'DELETED') this.#remove(object);
          else this.#put(object);
        },
        unreadable: ({ namespace, name }, reason) => {
          unseen.delete(keyOf({ namespace, name }));
          this.#lose({ namespace, name, reason });
        },
        synced: () => {
          for (const name of unseen.values()) this.#remove(name);
          unseen.clear();
          this.#settle();
        },
        end: () => {
          this.#restart();
        },
      },
    );
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#watch?.stop();
  }

  #restart(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.begin();
    }, restartDelayMs).unref();
  }

  #remove(object: Name): void {
    this.#known.delete(keyOf(object));
    this.#follower.remove(object.namespace, object.name);
  }

  #put(object: StoredObject): void {
    const { namespace, name } = object;
    this.#known.set(keyOf(object), { namespace, name });
    try {
      this.#follower.put(object);
    } catch (error) {
      // Some values prove invalid only when decoded.
      if (!(error instanceof DamagedValueError)) throw error;
      this.#lose({ namespace, name, reason: error.message });
    }
  }

  #lose(object: Unreadable): void {
    const { namespace, name } = object;
    this.#known.set(keyOf(object), { namespace, name });
    if (this.#follower.unreadable === undefined) this.#follower.remove(namespace, name);
    else this.#follower.unreadable(object);
  }
}
