import type { StoredItem } from '../storedobject.js';
import { ChangeEvents, SharedEvent, type ObjectChange } from './change.js';

/** Bytes of objects whose events are remembered; their frames take about as much again for each encoding in use. */
const bytesMax = 4 << 20;

/**
 * Events that watchers were shown of the past: what was there when they began, and what happened since the version that they resume from.
 * Watchers come in herds, after a restart above all, and a herd reads the same objects at about the same time; so the latest events are
 * remembered, and their frames are made once for all of the herd. Live events need none of this: they are shown to everybody in one turn.
 */
export class RecentEvents {
  private readonly added = new Recent<StoredItem, SharedEvent>((item) => item.size);
  private readonly changes = new Recent<ObjectChange, ChangeEvents>((change) => change.subject.size);

  /** An object that is there. */
  addedOf(item: StoredItem): SharedEvent {
    return this.added.of(item, () => new SharedEvent('ADDED', item));
  }

  /** A change that has been. */
  changeOf(change: ObjectChange): ChangeEvents {
    return this.changes.of(change, () => new ChangeEvents(change));
  }
}

/** The values made last, forgotten in the order in which they were made. */
class Recent<Key extends object, Value> {
  private readonly made = new Map<Key, { readonly value: Value; readonly bytes: number }>();
  private bytes = 0;

  constructor(private readonly sizeOf: (key: Key) => number) {}

  of(key: Key, make: () => Value): Value {
    const known = this.made.get(key);
    if (known !== undefined) return known.value;
    const entry = { value: make(), bytes: this.sizeOf(key) };
    this.made.set(key, entry);
    this.bytes += entry.bytes;
    this.forgetOldest();
    return entry.value;
  }

  private forgetOldest(): void {
    for (const [oldest, { bytes }] of this.made) {
      if (this.bytes <= bytesMax) return;
      this.made.delete(oldest);
      this.bytes -= bytes;
    }
  }
}
