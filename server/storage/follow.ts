import type { GroupResource } from '../../api/resource.js';
import type { Storage, StoredObject, Watch } from './contract.js';
import { DamagedValueError } from './encoding.js';

/** An existing object whose value is unreadable, and why. */
export interface Unreadable {
  readonly namespace: string;
  readonly name: string;
  readonly reason: string;
}

/** Calls come while changes are applied: they must be quick and must not throw. */
export interface Follower {
  put(object: StoredObject): void;
  remove(namespace: string, name: string): void;
  /** An unreadable object counts as removed where this method is absent: unknown permissions must not be granted. */
  unreadable?(object: Unreadable): void;
}

export interface Following {
  readonly synced: Promise<void>;
  stop(): void;
}

const restartDelayMs = 500;

/** Shows objects and every change. When the watch breaks, what was shown stays until the new state has come. */
export function follow(storage: Pick<Storage, 'watch'>, resource: GroupResource, follower: Follower): Following {
  const known = new Map<string, readonly [namespace: string, name: string]>();
  let watch: Watch | null = null;
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;
  let settle: () => void = () => {};
  const synced = new Promise<void>((resolve) => {
    settle = resolve;
  });

  const lose = (object: Unreadable): void => {
    const { namespace, name } = object;
    known.set(`${namespace}/${name}`, [namespace, name]);
    if (follower.unreadable === undefined) follower.remove(namespace, name);
    else follower.unreadable(object);
  };
  const begin = (): void => {
    const unseen = new Map(known);
    watch = storage.watch(
      { resource, namespace: null, labels: [], fields: [], start: { at: 'any' }, initialEvents: true },
      {
        event({ type, object }) {
          const { namespace, name } = object;
          const key = `${namespace}/${name}`;
          unseen.delete(key);
          if (type === 'DELETED') {
            known.delete(key);
            follower.remove(namespace, name);
          } else {
            known.set(key, [namespace, name]);
            try {
              follower.put(object);
            } catch (error) {
              // Some values prove invalid only when decoded.
              if (!(error instanceof DamagedValueError)) throw error;
              lose({ namespace, name, reason: error.message });
            }
          }
        },
        unreadable({ namespace, name }, reason) {
          unseen.delete(`${namespace}/${name}`);
          lose({ namespace, name, reason });
        },
        synced() {
          for (const [key, [namespace, name]] of unseen) {
            known.delete(key);
            follower.remove(namespace, name);
          }
          unseen.clear();
          settle();
        },
        end() {
          if (stopped) return;
          timer = setTimeout(begin, restartDelayMs);
          timer.unref();
        },
      },
    );
  };
  begin();
  return {
    synced,
    stop() {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      watch?.stop();
    },
  };
}
