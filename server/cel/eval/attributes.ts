import { indexed, selected, selectedMaybe } from './operators.js';
import type { Code, Run } from './run.js';
import { Failure, Optional, type Value } from './values.js';

/**
 * What cel-go calls attributes: a name, or what a call yields, with the members that are selected of it one after the other. Each member costs a unit, and so does
 * the whole where it is evaluated by itself: not where it is a key, or a branch of a conditional, or what `has()` asks about.
 */
export interface Attribute {
  /** Yields the value, and charges the members. */
  readonly resolve: Code;
  /** What it costs where it is evaluated by itself. */
  readonly cost: 0 | 1;
}

const memberCost = 1;

export const evaluated =
  ({ resolve, cost }: Attribute): Code =>
  (run) => {
    const value = resolve(run);
    run.meter.spend(cost);
    return value;
  };

/** `a.field`, or `a.?field`. */
export function member({ resolve, cost }: Attribute, field: string, optional: boolean): Attribute {
  const missing = new Failure(`no such key: ${field}`);
  return {
    cost,
    resolve: (run) => {
      const holder = resolve(run);
      if (holder instanceof Failure) return holder;
      if (optional || holder instanceof Optional) return chargedIfPresent(run, selectedMaybe(holder, field));
      run.meter.spend(memberCost);
      return selected(holder, field, missing);
    },
  };
}

/** `a[key]`, or `a[?key]`. The key is looked at only where there is something to look into. */
export function element({ resolve, cost }: Attribute, key: Code, optional: boolean): Attribute {
  return {
    cost,
    resolve: (run) => {
      const holder = resolve(run);
      if (holder instanceof Failure || (holder instanceof Optional && holder.value === undefined)) return holder;
      const value = indexed(holder, key(run), optional);
      if (optional || holder instanceof Optional) return chargedIfPresent(run, value);
      run.meter.spend(memberCost);
      return value;
    },
  };
}

/** A member that may be absent costs nothing where it is. */
function chargedIfPresent(run: Run, value: Value): Value {
  if (value instanceof Optional && value.value !== undefined) run.meter.spend(memberCost);
  return value;
}
