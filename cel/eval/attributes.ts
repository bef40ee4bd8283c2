import { indexed, selected, selectedMaybe } from './operators.js';
import type { Code, Run } from './run.js';
import { Failure, Optional, type Value } from './values.js';

/**
 * An attribute in cel-go: a name or a call's result, with selected members. Each member costs a unit, as does the attribute itself, except as a key, a branch
 * of a conditional, or the argument of `has()`.
 */
export interface Attribute {
  /** Charges the members. */
  readonly resolve: Code;
  /** The cost of evaluation by itself. */
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

/** `a[key]`, or `a[?key]`. Evaluates the key only if the holder has a value. */
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

function chargedIfPresent(run: Run, value: Value): Value {
  if (value instanceof Optional && value.value !== undefined) run.meter.spend(memberCost);
  return value;
}
