// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as coreV1 from '../core/v1.js';
import type * as metaV1 from '../meta/v1.js';

/** A report that something happened to an object, and repeatedly if a series is given. */
export interface Event {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  readonly eventTime: metaV1.MicroTime | null;
  readonly series?: EventSeries;
  readonly reportingController?: string;
  readonly reportingInstance?: string;
  readonly action?: string;
  readonly reason?: string;
  readonly regarding?: coreV1.ObjectReference;
  readonly related?: coreV1.ObjectReference;
  readonly note?: string;
  readonly type?: string;
  readonly deprecatedSource?: coreV1.EventSource;
  readonly deprecatedFirstTimestamp?: metaV1.Time | null;
  readonly deprecatedLastTimestamp?: metaV1.Time | null;
  readonly deprecatedCount?: number;
}

export interface EventList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly Event[] | null;
}

export interface EventSeries {
  readonly count?: number;
  readonly lastObservedTime: metaV1.MicroTime | null;
}

export const events: Resource<Event> = { group: 'events.k8s.io', version: 'v1', resource: 'events', kind: 'Event', namespaced: true };
