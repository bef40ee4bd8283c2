import type { StoredItem } from '../storedobject.js';
import { ChangeEvents, SharedEvent, type ObjectChange } from './change.js';

/** Bounds the objects with remembered events; each encoding's frames take about as much again. */
const bytesMax = 4 << 20;

/**
 * Past events for watchers: objects present when they began, and changes since their version. After a restart many watchers read the same objects at about the
 * same time, so the latest events are remembered and their frames encoded once. Live events need no memory: all watchers get them in one turn.
 */
export class RecentEvents {
  private readonly added = new Recent<StoredItem, SharedEvent>((item) => item.size);
  private readonly changes = new Recent<ObjectChange, ChangeEvents>((change) => change.subject.size);

  addedOf(item: StoredItem): SharedEvent {
    return this.added.of(item, () => new SharedEvent('ADDED', item));
  }

  changeOf(change: ObjectChange): ChangeEvents {
    return this.changes.of(change, () => new ChangeEvents(change));
  }
}

/** Dropped in order of creation. */
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
