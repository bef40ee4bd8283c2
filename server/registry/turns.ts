import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonValue } from '../api/object.js';

/**
 * A write of a large object takes milliseconds in each of its steps: reading the old state, defaults, who owns which field, validation,
 * encoding. Between them it gives way to other requests; small objects, nearly all there are, go straight through.
 */

/** Members and items from which on an object is heavy. A step with that many takes a millisecond or two. */
export const HEAVY_VALUES = 2_000;

/** Stops counting as soon as it knows. */
export const isHeavy = (value: JsonValue | undefined): boolean => remaining(value, HEAVY_VALUES) < 0;

function remaining(value: JsonValue | undefined, most: number): number {
  if (typeof value !== 'object' || value === null) return most;
  const members = Object.values(value);
  let left = most - members.length;
  for (let position = 0; left >= 0 && position < members.length; position++) left = remaining(members[position], left);
  return left;
}

/** Gives way to other work if the object is heavy; undefined, so that nobody waits, if it is not. */
export const betweenSteps = (heavy: boolean): Promise<void> | undefined => (heavy ? nextTurn() : undefined);
