import { sameMeaning } from '../../api/json/equality.js';

/** Counters that are zero are absent from stored objects. */
export const withoutZeros = (status: object | undefined): object =>
  Object.fromEntries(Object.entries(status ?? {}).filter(([, value]) => value !== 0));

interface ObservedStatus {
  readonly observedGeneration?: number;
  readonly collisionCount?: number;
}

/** An absent counter is zero, unless the status was never written. */
export const sameStatus = (before: ObservedStatus | undefined, after: ObservedStatus): boolean =>
  before?.observedGeneration === after.observedGeneration &&
  before?.collisionCount === after.collisionCount &&
  sameMeaning(withoutZeros(before), withoutZeros(after));
