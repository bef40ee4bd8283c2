import type { Failure, StoredObject, Version, WatchEvent, WatchEventType } from '../contract.js';
import { DamagedItem, type StoredItem } from '../storedobject.js';

/** One change of one object, as history keeps it. */
export class ObjectChange {
  /** Bytes that are in memory only because history keeps this change; a deletion shows its last state in a copy with the new version. */
  readonly bytesKept: number;
  private removedFound: StoredItem | null = null;

  /** State after; null when the change deleted the object. */
  readonly next: StoredItem | null;

  constructor(
    readonly version: Version,
    /** State before; null when the change created the object. */
    readonly previous: StoredItem | null,
    /** State after; null when the change deleted the object. */
    { next }: { readonly next: StoredItem | null },
    /** When it was applied here, in milliseconds of the cache's clock. */
    readonly at: number,
  ) {
    this.next = next;

    this.bytesKept = (previous?.size ?? 0) * (next === null ? 2 : 1);
  }

  /** The last state with the version of this change: what a deletion, or leaving a selector, shows. */
  get removed(): StoredItem {
    if (this.previous === null) throw new Error(`broken invariant: nothing existed before version ${this.version}`);
    return (this.removedFound ??= this.previous.atVersion(this.version));
  }

  get subject(): StoredItem {
    const subject = this.next ?? this.previous;
    if (subject === null) throw new Error(`broken invariant: change ${this.version} changes nothing`);
    return subject;
  }
}

/** An event under way to its watchers. All watchers that see the same type of it share one, and so its encoded frames. */
export class SharedEvent implements WatchEvent {
  private encoding = '';
  private encoded: Buffer | null = null;
  /** Encodings after the first, which are rare. */
  private others: Map<string, Buffer> | null = null;

  constructor(
    readonly type: WatchEventType,
    readonly object: StoredObject,
  ) {}

  get version(): Version {
    return this.object.version;
  }

  frame(encoding: string, make: (event: WatchEvent) => Buffer): Buffer {
    if (this.encoded !== null && this.encoding === encoding) return this.encoded;
    const known = this.others?.get(encoding);
    if (known !== undefined) return known;
    const made = make(this);
    if (this.encoded === null) {
      this.encoding = encoding;
      this.encoded = made;
    } else (this.others ??= new Map()).set(encoding, made);
    return made;
  }
}

/** The events that one change can be, made when the first watcher needs them. */
export class ChangeEvents {
  private made: Partial<Record<WatchEventType, SharedEvent>> = {};

  private whole: WatchEvent | Failure | null = null;

  constructor(readonly change: ObjectChange) {}

  /** What a watcher sees that leaves nothing out: an event, or that it cannot go on; null where an object that could not be read is gone. */
  get seenByAll(): WatchEvent | Failure | null {
    return (this.whole ??= this.seenWhole());
  }

  /** What a watcher sees whose selector matched the state before and after as told; null for nothing. */
  seenAs(before: boolean, after: boolean): SharedEvent | null {
    if (after) return this.event(before ? 'MODIFIED' : 'ADDED');
    return before ? this.event('DELETED') : null;
  }

  private seenWhole(): WatchEvent | Failure | null {
    const { previous, next } = this.change;
    return next instanceof DamagedItem
      ? unreadable(next)
      : this.seenAs(previous !== null && !(previous instanceof DamagedItem), next !== null);
  }

  private event(type: WatchEventType): SharedEvent {
    return (this.made[type] ??= new SharedEvent(type, type === 'DELETED' ? this.change.removed : this.change.subject));
  }
}

export const unreadable = (item: DamagedItem): Failure => ({ outcome: 'unavailable', reason: item.damage.message });
