import type { Call, Expression } from '../check/parser.js';
import { isOpen, unknown, type Type } from '../check/types.js';
import { callCost, nominal, type CallCost } from './costs.js';
import type { Implementation } from './functions/library.js';
import type { Code } from './run.js';
import { Failure, weightOf, type Value } from './values.js';

/** Types of all parts of an expression, as the checker found them. */
export type Types = ReadonlyMap<Expression, Type>;

/** Functions with one overload for each of several types: what a call costs is known only where the types say which one is meant. */
const byFirst = new Set(['string', 'bytes']);
const bySecond = new Set(['@in', 'containsIP', 'containsCIDR']);
const byBoth = new Set(['_+_', '_<_', '_<=_', '_>_', '_>=_']);
const byElements = new Set(['sort', '@sortByAssociatedKeys']);

/**
 * Whether the types leave open which overload a call means. The reference then knows none when it counts the cost (`OverloadID` of cel-go is empty), and most calls
 * cost a unit, whatever their arguments turn out to be.
 */
export function isAmbiguous({ name, target, args }: Call, types: Types | null): boolean {
  if (types === null) return false;
  const [first = unknown, second = unknown] = (target === null ? args : [target, ...args]).map((part) => types.get(part) ?? unknown);
  if (byFirst.has(name)) return isOpen(first);
  if (bySecond.has(name)) return isOpen(second);
  if (byBoth.has(name)) return isOpen(first) && isOpen(second);
  return byElements.has(name) && isOpen(first.of[0] ?? unknown);
}

/** What a call costs, as far as its types tell. */
export function costOf(call: Call, types: Types | null): CallCost {
  // A function of two texts is another overload than the one that is called on a text.
  if (call.name === 'matches' && call.target === null) return nominal;
  const cost = callCost(call.name);
  return isAmbiguous(call, types) ? (cost.ambiguous ?? nominal) : cost;
}

/**
 * Functions see no failures: the first argument that failed is the result. What the arguments cost is charged before the function sees them, and going
 * through their texts as well, whatever it costs.
 */
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
