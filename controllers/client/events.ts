import { strategicPatch, type Api } from './api.js';
import type { Clock } from './clock.js';
import { isNamespaceTerminating, isNotFound, unless } from './errors.js';
import { EventCorrelator, type Correlation, type RecordedEvent, type ObjectReference } from './eventCorrelator.js';
import type { KubeObject } from '../../api/meta/object.js';
import { timeText } from '../../api/time.js';
import { resource } from '../../api/meta/resource.js';

interface EventObject extends KubeObject {
  readonly involvedObject: ObjectReference;
  readonly reason: string;
  readonly message: string;
  readonly type: string;
  readonly source: { readonly component: string };
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly count: number;
  readonly reportingComponent: string;
  readonly reportingInstance: string;
}

export const events = resource<EventObject>({ apiVersion: 'v1', resource: 'events', kind: 'Event' });

/** Records a controller's actions. Never waits and never fails, since nothing depends on events. */
export interface EventRecorder {
  normal(object: KubeObject, reason: string, message: string): void;
  warning(object: KubeObject, reason: string, message: string): void;
}

/** Bound on unwritten events; further ones are dropped. */
const waitingMax = 1000;

interface EventWriterOptions {
  readonly api: Api;
  readonly clock: Clock;
  readonly onError?: (error: unknown) => void;
}

/** Writes correlated events in the background, one after another. One per process; `as` names the component. */
export class EventWriter {
  readonly #options: EventWriterOptions;
  readonly #correlator: EventCorrelator;
  readonly #waiting: RecordedEvent[] = [];
  #writing: Promise<void> | null = null;
  #serial = 0;

  constructor(options: EventWriterOptions) {
    this.#options = options;
    this.#correlator = new EventCorrelator(options.clock);
  }

  as(component: string): EventRecorder {
    const tell =
      (type: 'Normal' | 'Warning') =>
      (object: KubeObject, reason: string, message: string): void =>
        this.#tell({ object: referenceTo(object), type, reason, message, component });
    return { normal: tell('Normal'), warning: tell('Warning') };
  }

  async flushed(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  #tell(event: RecordedEvent): void {
    if (this.#waiting.length >= waitingMax) return;
    this.#waiting.push(event);
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null;
    });
  }

  async #writeAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      try {
        await this.#write(next, this.#correlator.correlate(next));
      } catch (error) {
        // A terminating namespace accepts no events, which nobody would read.
        if (!isNamespaceTerminating(error)) this.#options.onError?.(error);
      }
    }
  }

  async #write(event: RecordedEvent, correlation: Correlation): Promise<void> {
    if (correlation.do === 'drop') return;
    if (correlation.do === 'count' && (await this.#countUp(correlation))) return;
    const now = this.#options.clock.now();
    const namespace = event.object.namespace || 'default';
    const name = `${event.object.name ?? ''}.${this.#unique(now)}`;
    const combined = correlation.do === 'create' && correlation.combined;
    await this.#options.api.create(events, eventOf(event, { message: correlation.message, combined }, { name, namespace, now }));
    this.#correlator.wrote(correlation.key, { name, namespace, firstAt: now, count: 1 });
  }

  /** Returns false when the event no longer exists: events live for an hour. */
  async #countUp({ key, message, written }: Extract<Correlation, { do: 'count' }>): Promise<boolean> {
    const count = written.count + 1;
    const patch = strategicPatch({ message, count, lastTimestamp: timeText(this.#options.clock.now()) });
    if (!(await unless(isNotFound, this.#options.api.patch(events, written, patch)))) return false;
    this.#correlator.wrote(key, { ...written, count });
    return true;
  }

  /** A time in nanoseconds, as in the reference, made unique within this process. */
  #unique(now: number): string {
    this.#serial = (this.#serial + 1) % 1_000_000;
    return (BigInt(now) * 1_000_000n + BigInt(this.#serial)).toString(16);
  }
}

export function referenceTo({ apiVersion, kind, metadata: { namespace, name, uid, resourceVersion } }: KubeObject): ObjectReference {
  return {
    ...(kind ? { kind } : {}),
    ...(namespace ? { namespace } : {}),
    ...(name ? { name } : {}),
    ...(uid ? { uid } : {}),
    ...(apiVersion ? { apiVersion } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
  };
}

/** Returns an event's reference to an object without its resource version. */
export const versionless = ({ apiVersion, kind, metadata: { namespace, name, uid } }: KubeObject): KubeObject => ({
  ...(apiVersion ? { apiVersion } : {}),
  ...(kind ? { kind } : {}),
  metadata: { ...(namespace ? { namespace } : {}), ...(name ? { name } : {}), ...(uid ? { uid } : {}) },
});

function eventOf(
  { object, type, reason, component }: RecordedEvent,
  { message, combined }: { readonly message: string; readonly combined: boolean },
  at: { readonly name: string; readonly namespace: string; readonly now: number },
): EventObject {
  const time = timeText(at.now);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: at.name, namespace: at.namespace },
    involvedObject: object,
    reason,
    message,
    type,
    source: { component },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    // The reference leaves it out where it combines events.
    reportingComponent: combined ? '' : component,
    reportingInstance: '',
  };
}
