import type { Failure, StoredObject, Version, WatchEvent, WatchEventType } from '../contract.js';
import { DamagedItem, type StoredItem } from '../storedObject.js';

export class ObjectChange {
  readonly bytesKept: number;
  #removedFound: StoredItem | null = null;

  /** Null for a deletion. */
  readonly next: StoredItem | null;

  constructor(
    readonly version: Version,
    /** Null for a creation. */
    readonly previous: StoredItem | null,
    /** Null for a deletion. */
    next: StoredItem | null,
    readonly at: number,
  ) {
    this.next = next;

    this.bytesKept = (previous?.size ?? 0) * (next === null ? 2 : 1);
  }

  get removed(): StoredItem {
    if (this.previous === null) throw new Error(`broken invariant: nothing existed before version ${this.version}`);
    return (this.#removedFound ??= this.previous.atVersion(this.version));
  }

  get subject(): StoredItem {
    const subject = this.next ?? this.previous;
    if (subject === null) throw new Error(`broken invariant: change ${this.version} changes nothing`);
    return subject;
  }
}

/** Shared, with its encoded frames, by all watchers that see the same type. */
export class SharedEvent implements WatchEvent {
  #encoding = '';
  #encoded: Buffer | null = null;
  #others: Map<string, Buffer> | null = null;

  constructor(
    readonly type: WatchEventType,
    readonly object: StoredObject,
  ) {}

  get version(): Version {
    return this.object.version;
  }

  frame(encoding: string, make: (event: WatchEvent) => Buffer): Buffer {
    if (this.#encoded !== null && this.#encoding === encoding) return this.#encoded;
    const known = this.#others?.get(encoding);
    if (known !== undefined) return known;
    const made = make(this);
    if (this.#encoded === null) {
      this.#encoding = encoding;
      this.#encoded = made;
    } else (this.#others ??= new Map()).set(encoding, made);
    return made;
  }
}

/** Created for the first watcher that needs them. */
export class ChangeEvents {
  #made: Partial<Record<WatchEventType, SharedEvent>> = {};

  #whole: WatchEvent | Failure | null = null;

  constructor(readonly change: ObjectChange) {}

  /** Null for the deletion of an unreadable object. */
  get seenByAll(): WatchEvent | Failure | null {
    return (this.#whole ??= this.#seenWhole());
  }

  seenAs(before: boolean, after: boolean): SharedEvent | null {
    if (after) return this.#event(before ? 'MODIFIED' : 'ADDED');
    return before ? this.#event('DELETED') : null;
  }

  #seenWhole(): WatchEvent | Failure | null {
    const { previous, next } = this.change;
    return next instanceof DamagedItem
      ? unreadable(next)
      : this.seenAs(previous !== null && !(previous instanceof DamagedItem), next !== null);
  }

  #event(type: WatchEventType): SharedEvent {
    return (this.#made[type] ??= new SharedEvent(type, type === 'DELETED' ? this.change.removed : this.change.subject));
  }
}

export const unreadable = (item: DamagedItem): Failure => ({ outcome: 'unavailable', reason: item.damage.message });
