import type { ApiObject } from '../../api/object.js';
import { internalError } from '../../api/status.js';
import type { Storage } from '../storage/contract.js';
import { follow, type Following, type Unreadable } from '../storage/follow.js';

/** Stored webhook configurations or policies that cannot be read. Their scope is unknown, so nothing may pass until they are readable or gone. */
export class UnreadGuards {
  readonly #resource: string;
  readonly #reasons = new Map<string, string>();

  constructor(resource: string) {
    this.#resource = resource;
  }

  add({ name, reason }: Pick<Unreadable, 'name' | 'reason'>): void {
    this.#reasons.set(name, reason);
  }

  delete(name: string): void {
    this.#reasons.delete(name);
  }

  /** Throws StatusError 500, which names one of them. */
  demandNone(): void {
    for (const [name, reason] of this.#reasons)
      throw internalError(
        new Error(`${this.#resource} ${JSON.stringify(name)} may be about this request and cannot be read; mend or delete it: ${reason}`),
      );
  }
}

export interface GuardIndex {
  /** Throws for an invalid object, and keeps the earlier one. */
  put(name: string, object: ApiObject): void;
  remove(name: string): void;
  has(name: string): boolean;
}

export function followGuards(
  storage: Pick<Storage, 'watch'>,
  resource: string,
  index: GuardIndex,
  report: (error: unknown, name: string) => void,
): Following & { readonly unread: UnreadGuards } {
  const unread = new UnreadGuards(resource);
  const following = follow(
    storage,
    { group: 'admissionregistration.k8s.io', resource },
    {
      put(object) {
        const decoded = object.decode();
        unread.delete(object.name);
        try {
          index.put(object.name, decoded);
        } catch (error) {
          report(error, object.name);
        }
      },
      remove(_namespace, name) {
        index.remove(name);
        unread.delete(name);
      },
      unreadable({ name, reason }) {
        // An unreadable version does not replace the earlier one, which stays in effect.
        if (!index.has(name)) unread.add({ name, reason });
        report(new Error(reason), name);
      },
    },
  );
  return {
    unread,
    synced: following.synced,
    stop: () => {
      following.stop();
    },
  };
}
