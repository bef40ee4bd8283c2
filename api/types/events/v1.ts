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
  /** When it was first observed, to the microsecond. */
  readonly eventTime: metaV1.MicroTime | null;
  /** Tells of repetitions. */
  readonly series?: EventSeries;
  /** The controller that reports, such as kubernetes.io/kubelet. */
  readonly reportingController?: string;
  /** Which instance of the controller it is. */
  readonly reportingInstance?: string;
  /** What was done, or failed. */
  readonly action?: string;
  /** Why it happened, in one word for programs. */
  readonly reason?: string;
  /** The object that the event is about. */
  readonly regarding?: coreV1.ObjectReference;
  /** A second object, for actions that concern two. */
  readonly related?: coreV1.ObjectReference;
  /** What happened, for people. */
  readonly note?: string;
  /** Normal or Warning. */
  readonly type?: string;
  /** Who reports it, for older clients. */
  readonly deprecatedSource?: coreV1.EventSource;
  /** When it was first seen, for older clients. */
  readonly deprecatedFirstTimestamp?: metaV1.Time | null;
  /** When it was last seen, for older clients. */
  readonly deprecatedLastTimestamp?: metaV1.Time | null;
  /** How often it was seen, for older clients. */
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

/** Repetitions of one event. */
export interface EventSeries {
  /** How many there were up to the last time seen. */
  readonly count?: number;
  /** When the last one was seen. */
  readonly lastObservedTime: metaV1.MicroTime | null;
}

export const events: Resource<Event> = { group: 'events.k8s.io', version: 'v1', resource: 'events', kind: 'Event', namespaced: true };
