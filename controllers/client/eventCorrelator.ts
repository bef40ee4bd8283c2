import type { Clock } from './clock.js';
import { TokenBucket } from './throttle.js';

export interface RecordedEvent {
  readonly object: ObjectReference;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly component: string;
}

export interface ObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface WrittenEvent {
  readonly name: string;
  readonly namespace: string;
  readonly firstAt: number;
  readonly count: number;
}

export type Correlation =
  | { readonly do: 'create'; readonly key: string; readonly message: string; readonly combined: boolean }
  | { readonly do: 'count'; readonly key: string; readonly message: string; readonly written: WrittenEvent }
  | { readonly do: 'drop' };

/** The numbers of client-go. */
const similarMax = 10;
const similarWithinMs = 600_000;
const burstPerObject = 25;
const refillPerSecond = 1 / 300;
const rememberedMax = 4096;

/**
 * Bounds the events in the store: a repeated event raises the count of the first; many that differ only in their message are combined; most of very many about
 * one object are dropped.
 */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #buckets = new Remembered<TokenBucket>();
  readonly #similar = new Remembered<{ readonly messages: Set<string>; lastAt: number }>();
  readonly #written = new Remembered<WrittenEvent>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  correlate(event: RecordedEvent): Correlation {
    const { object, component, type, reason } = event;
    const about = [component, object.kind, object.namespace, object.name, object.uid, object.apiVersion].join('\u0000');
    if (!this.#buckets.get(about, () => new TokenBucket(refillPerSecond, { burst: burstPerObject }, this.#clock)).tryTake())
      return { do: 'drop' };
    const kind = [about, type, reason].join('\u0000');
    const combined = this.#isOneOfMany(kind, event.message);
    const message = combined ? `(combined from similar events): ${event.message}` : event.message;
    const key = combined ? kind : [kind, message].join('\u0000');
    const written = this.#written.peek(key);
    return written ? { do: 'count', key, message, written } : { do: 'create', key, message, combined };
  }

  wrote(key: string, event: WrittenEvent): void {
    this.#written.set(key, event);
  }

  #isOneOfMany(kind: string, message: string): boolean {
    const now = this.#clock.elapsed();
    const similar = this.#similar.get(kind, () => ({ messages: new Set(), lastAt: now }));
    if (now - similar.lastAt > similarWithinMs) similar.messages.clear();
    similar.lastAt = now;
    similar.messages.add(message);
    if (similar.messages.size < similarMax) return false;
    // One is removed again, so that the set stays small.
    const [first] = similar.messages;
    if (first !== undefined) similar.messages.delete(first);
    return true;
  }
}

class Remembered<V> {
  readonly #entries = new Map<string, V>();

  peek(key: string): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  get(key: string, make: () => V): V {
    const value = this.peek(key) ?? make();
    this.set(key, value);
    return value;
  }

  set(key: string, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= rememberedMax) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
