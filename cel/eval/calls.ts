import type { Call, Expression } from '../check/parser.js';
import { dyn, isOpen, type Type } from '../check/types.js';
import { callCost, nominal, type CallCost } from './costs.js';
import type { Implementation } from './functions/library.js';
import { unmatched } from './overloads.js';
import type { Code } from './run.js';
import { Failure, noOverload, weightOf, type Value } from './values.js';

export type Types = ReadonlyMap<Expression, Type>;

/** The cost of these is known only if types select the overload. */
const byFirst = new Set(['string', 'bytes']);
const bySecond = new Set(['@in', 'containsIP', 'containsCIDR']);
const byBoth = new Set(['_+_', '_<_', '_<=_', '_>_', '_>=_']);
const byElements = new Set(['sort', '@sortByAssociatedKeys']);

/**
 * Returns whether the types leave the overload open. The reference then counts costs without one (`OverloadID` of cel-go is empty): most calls cost a unit,
 * whatever their arguments.
 */
export function isAmbiguous({ name, target, args }: Call, types: Types | null): boolean {
  if (types === null) return false;
  const [first = dyn, second = dyn] = (target === null ? args : [target, ...args]).map((part) => types.get(part) ?? dyn);
  if (byFirst.has(name)) return isOpen(first);
  if (bySecond.has(name)) return isOpen(second);
  if (byBoth.has(name)) return isOpen(first) && isOpen(second);
  return byElements.has(name) && isOpen(first.of[0] ?? dyn);
}

export function costOf(call: Call, types: Types | null): CallCost {
  // The global function of two texts is a different overload from the method.
  if (call.name === 'matches' && call.target === null) return nominal;
  const cost = callCost(call.name);
  return isAmbiguous(call, types) ? (cost.ambiguous ?? nominal) : cost;
}

/** Names the function and argument types if they fit no implementation. */
export const naming =
  (name: string, implementation: Implementation): Implementation =>
  (args, run) => {
    const result = implementation(args, run);
    return result === noOverload ? unmatched(name, args) : result;
  };

export const ofTimestamp =
  (name: string, implementation: Implementation): Implementation =>
  (args, run) =>
    typeof args[0] === 'string' ? new Failure(`no such overload: ${name}(string)`) : implementation(args, run);

/** The first failed argument is the result. Arguments, and steps for traversing their texts, are charged before the call. */
export function invoke({ before, after }: CallCost, implementation: Implementation, parts: readonly Code[]): Code {
  return (run) => {
    const args: Value[] = [];
    for (const part of parts) {
      const value = part(run);
      if (value instanceof Failure) return value;
      args.push(value);
      run.meter.traverse(weightOf(value));
    }
    run.meter.spend(before(args, run.meter));
    const result = implementation(args, run);
    if (after !== undefined) run.meter.spend(after(args, result));
    return result;
  };
}
