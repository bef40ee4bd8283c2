import type { StoredItem } from '../storedObject.js';
import { ChangeEvents, SharedEvent, type ObjectChange } from './change.js';

/** Each encoding's frames take about as much again. */
const bytesMax = 4 << 20;

/** Keeps the latest past events with encoded frames: after a restart many watchers read the same objects. */
export class RecentEvents {
  readonly #added = new Recent<StoredItem, SharedEvent>((item) => item.size);
  readonly #changes = new Recent<ObjectChange, ChangeEvents>((change) => change.subject.size);

  addedOf(item: StoredItem): SharedEvent {
    return this.#added.of(item, () => new SharedEvent('ADDED', item));
  }

  changeOf(change: ObjectChange): ChangeEvents {
    return this.#changes.of(change, () => new ChangeEvents(change));
  }
}

/** Dropped in order of creation. */
class Recent<Key extends object, Value> {
  readonly #sizeOf: (key: Key) => number;
  readonly #made = new Map<Key, { readonly value: Value; readonly bytes: number }>();
  #bytes = 0;

  constructor(sizeOf: (key: Key) => number) {
    this.#sizeOf = sizeOf;
  }

  of(key: Key, make: () => Value): Value {
    const known = this.#made.get(key);
    if (known !== undefined) return known.value;
    const entry = { value: make(), bytes: this.#sizeOf(key) };
    this.#made.set(key, entry);
    this.#bytes += entry.bytes;
    this.#forgetOldest();
    return entry.value;
  }

  #forgetOldest(): void {
    for (const [oldest, { bytes }] of this.#made) {
      if (this.#bytes <= bytesMax) return;
      this.#made.delete(oldest);
      this.#bytes -= bytes;
    }
  }
}
