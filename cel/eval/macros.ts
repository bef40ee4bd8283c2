import { dottedName, type Call, type Expression } from '../check/parser.js';
import { addEntry } from './entries.js';
import type { Attribute } from './attributes.js';
import type { CallCost } from './costs.js';
import { sortedByKeys } from './functions/sorting.js';
import { goNameOf } from './goNames.js';
import { selectedMaybe } from './operators.js';
import type { Code, Run } from './run.js';
import { ArrayList, EntryMap, Failure, ListValue, MapValue, noOverload, Optional, type Value } from './values.js';

/** Macros that iterate or bind names. The extra cost of a step is that of the reference's expansion. */

/** Slots of the names that macros bind. */
export type Names = ReadonlyMap<string, number>;

export interface MacroCompiler {
  /** Reserves a slot. A deferred value is computed at its first reading. */
  place(deferred?: Code): number;
  code(expression: Expression, names: Names): Code;
  holder(expression: Expression, names: Names): Attribute;
  /** The cost of empty lists and maps at the start of macros. */
  readonly emptyListCost: number;
  readonly emptyMapCost: number;
  sortCost(call: Call): CallCost;
}

type Macro = (call: Call, names: Names, compiler: MacroCompiler) => Code;

const notIterable = (value: Value): Failure => new Failure(`got '${goNameOf(value)}', expected iterable type`);

const nothing: Expression = { kind: 'literal', type: 'null', text: 'null', at: 0 };

interface Walk {
  readonly range: Code;
  /** Binds one element for the body. */
  readonly show: (run: Run, key: Value, element: Value, ofList: boolean) => void;
  readonly bodies: readonly Code[];
}

/** True ends the iteration. */
interface Visitor {
  /** Charged where it ends before the last element. */
  readonly endCost?: number;
  visit(run: Run, bodies: readonly Code[]): boolean;
  finish(run: Run): Value;
}

/** The cost of one round: `@not_strictly_false(result)` and `result && body`; `@not_strictly_false(!result)` and `result || body`. */
const round = { all: 3, exists: 4 } as const;
/** `result + 1`. */
const countCost = 2;
/** `result + [body]`, without the body. */
const elementCost = 12;

class Decide implements Visitor {
  readonly #settling: boolean;
  readonly #cost: number;
  #failed: Failure | null = null;
  #settled = false;
  constructor(settling: boolean, cost: number) {
    this.#settling = settling;
    this.#cost = cost;
  }

  /** The loop condition reads the result, which costs 1. */
  get endCost(): number {
    return this.#cost - 1;
  }

  visit(run: Run, [body]: readonly Code[]): boolean {
    run.meter.spend(this.#cost);
    const value = body!(run);
    if (value === this.#settling) this.#settled = true;
    else if (value !== !this.#settling) this.#failed ??= value instanceof Failure ? value : noOverload;
    return this.#settled;
  }

  finish(run: Run): Value {
    run.meter.spend(1);
    return this.#settled ? this.#settling : (this.#failed ?? !this.#settling);
  }
}

/** Computes `body ? result + 1 : result`, and finally `result == 1`. A failure is the result unless another one follows. */
class Count implements Visitor {
  #count = 0;
  #failed: Failure | null = null;

  visit(run: Run, [body]: readonly Code[]): boolean {
    const value = body!(run);
    if (value === true) {
      run.meter.spend(countCost);
      this.#count += 1;
    } else if (value !== false) this.#failed = value instanceof Failure ? value : noOverload;
    return false;
  }

  finish(run: Run): Value {
    run.meter.spend(2);
    return this.#failed ?? this.#count === 1;
  }
}

/**
 * Computes `keep ? result + [make] : result`. `keep` is the filter, null for all; `make` yields the element. Iteration goes on after a failure, as in the
 * reference.
 */
class Collect implements Visitor {
  readonly #keep: number | null;
  readonly #make: Code | number;
  readonly #startCost: number;
  readonly #values: Value[] = [];
  #failed: Failure | null = null;
  constructor(keep: number | null, make: Code | number, startCost: number) {
    this.#keep = keep;
    this.#make = make;
    this.#startCost = startCost;
  }

  visit(run: Run, bodies: readonly Code[]): boolean {
    const kept = this.#keep === null ? true : bodies[this.#keep]!(run);
    if (kept === false) return false;
    if (kept !== true) this.#failed = kept instanceof Failure ? kept : noOverload;
    else this.#add(run, typeof this.#make === 'number' ? bodies[this.#make]! : this.#make);
    return false;
  }

  #add(run: Run, make: Code): void {
    run.meter.spend(elementCost);
    const value = make(run);
    if (value instanceof Failure) this.#failed ??= value;
    else if (this.#failed === null) this.#values.push(value);
  }

  finish(run: Run): Value {
    run.meter.spend(this.#startCost + 1);
    return this.#failed ?? new ArrayList(this.#values);
  }
}

/** Builds maps: `key` yields the current key, or is null if the body yields entries. */
class CollectEntries implements Visitor {
  readonly #filtered: boolean;
  readonly #key: Code | null;
  readonly #startCost: number;
  readonly #made = new Map<string, readonly [Value, Value]>();
  #failed: Failure | null = null;
  constructor(filtered: boolean, key: Code | null, startCost: number) {
    this.#filtered = filtered;
    this.#key = key;
    this.#startCost = startCost;
  }

  visit(run: Run, bodies: readonly Code[]): boolean {
    const kept = this.#filtered ? bodies[0]!(run) : true;
    if (kept === false) return false;
    if (kept !== true) this.#failed = kept instanceof Failure ? kept : noOverload;
    else {
      // The map, the key and their insertion; or a complete entry.
      run.meter.spend(this.#key === null ? 2 : 3);
      const failed = this.#add(run, bodies[this.#filtered ? 1 : 0]!(run));
      this.#failed ??= failed;
    }
    return false;
  }

  #add(run: Run, value: Value): Failure | null {
    if (this.#key !== null) return addEntry(this.#made, this.#key(run), value);
    if (!(value instanceof MapValue)) return value instanceof Failure ? value : noOverload;
    for (const key of value.keys()) {
      const wrong = addEntry(this.#made, key, value.get(key) ?? null);
      if (wrong !== null) return wrong;
    }
    return null;
  }

  finish(run: Run): Value {
    run.meter.spend(this.#startCost + 1);
    return this.#failed ?? new EntryMap(this.#made);
  }
}

function walk({ range, show, bodies }: Walk, visitorOf: () => Visitor): Code {
  return (run) => {
    const holder = range(run);
    if (holder instanceof Failure) return holder;
    const visitor = visitorOf();
    if (holder instanceof ListValue) {
      for (let i = 0; i < holder.length; i++) {
        run.meter.step(1);
        show(run, BigInt(i), holder.at(i), true);
        if (!visitor.visit(run, bodies)) continue;
        if (i + 1 < holder.length) run.meter.spend(visitor.endCost ?? 0);
        break;
      }
    } else if (holder instanceof MapValue) {
      let ended = false;
      for (const key of holder.keys()) {
        if (ended) {
          run.meter.spend(visitor.endCost ?? 0);
          break;
        }
        show(run, key, holder.get(key) ?? null, false);
        ended = visitor.visit(run, bodies);
      }
    } else return notIterable(holder);
    return visitor.finish(run);
  };
}

/** Iterates with one variable (a list's element, a map's key) or two (position or key, and element). */
function over(variables: 1 | 2, visitorOf: (bodies: number, key: Code, costs: MacroCompiler) => () => Visitor): Macro {
  return ({ target, args }, names, compiler) => {
    const range = compiler.code(target ?? nothing, names);
    const places = args.slice(0, variables).map(() => compiler.place());
    const within = new Map([...names, ...places.map((place, i): [string, number] => [nameOf(args[i]), place])]);
    const bodies = args.slice(variables).map((body) => compiler.code(body, within));
    const [first = 0, second = first] = places;
    const show: Walk['show'] =
      variables === 2
        ? (run, key, element) => {
            run.names[first] = key;
            run.names[second] = element;
          }
        : (run, key, element, ofList) => {
            run.names[first] = ofList ? element : key;
          };
    return walk(
      { range, show, bodies },
      visitorOf(bodies.length, (run) => run.names[first] ?? null, compiler),
    );
  };
}

const nameOf = (expression: Expression | undefined): string => (expression?.kind === 'name' ? expression.name : '');

/**
 * `has(a.b)` tests the last member; everything before it must exist. It refunds a unit (`PresenceTestHasCost(false)` of the reference), even to a conditional,
 * which costs nothing itself.
 */
const has: Macro = ({ args: [argument] }, names, compiler) => {
  if (argument?.kind !== 'select') return () => noOverload;
  const { field, optional } = argument;
  const { resolve, cost } = compiler.holder(argument.of, names);
  return (run) => {
    const holder = resolve(run);
    run.meter.spend(cost - 1);
    if (holder instanceof Failure) return holder;
    const member = selectedMaybe(holder, field);
    if (member instanceof Failure) return member;
    const isThere = member instanceof Optional && member.value !== undefined;
    if (isThere || !(optional || holder instanceof Optional)) run.meter.spend(1);
    return isThere;
  };
};

/** `o.optMap(x, e)`, `o.optFlatMap(x, e)`: `o.hasValue() ? optional.of(cel.bind(x, o.value(), e)) : optional.none()`, and the same without `optional.of`. */
const ofOptional =
  (wraps: boolean): Macro =>
  ({ target, args: [name, body] }, names, compiler) => {
    const of = compiler.code(target ?? nothing, names);
    const place = compiler.place((run) => {
      const held = of(run);
      run.meter.spend(1);
      return held instanceof Optional && held.value !== undefined ? held.value : noOverload;
    });
    const inner = compiler.code(body ?? nothing, new Map([...names, [nameOf(name), place]]));
    return (run) => {
      const holder = of(run);
      run.meter.spend(1);
      if (holder instanceof Failure) return holder;
      if (!(holder instanceof Optional)) return noOverload;
      if (holder.value === undefined) {
        run.meter.spend(1);
        return Optional.none;
      }
      run.meter.spend(compiler.emptyListCost + (wraps ? 1 : 0));
      run.names[place] = undefined;
      const value = inner(run);
      return wraps && !(value instanceof Failure) ? new Optional(value) : value;
    };
  };

/** `cel.bind(x, value, body)`. The value, or its failure, is computed at first use. */
const bind: Macro = ({ args: [name, value, body] }, names, compiler) => {
  const place = compiler.place(compiler.code(value ?? nothing, names));
  const inner = compiler.code(body ?? nothing, new Map([...names, [nameOf(name), place]]));
  return (run) => {
    run.meter.spend(compiler.emptyListCost);
    run.names[place] = undefined;
    return inner(run);
  };
};

/** `list.sortBy(x, key)`: `cel.bind(y, list, y.@sortByAssociatedKeys(y.map(x, key)))`. */
const sortBy: Macro = (call, names, compiler) => {
  const [name, body] = call.args;
  const place = compiler.place();
  const of = compiler.code(call.target ?? nothing, names);
  const key = compiler.code(body ?? nothing, new Map([...names, [nameOf(name), place]]));
  const keysCost = compiler.sortCost(call);
  return (run) => {
    const holder = of(run);
    // The two names of the list, and the list of keys.
    run.meter.spend(2 * compiler.emptyListCost + 3);
    if (holder instanceof Failure) return holder;
    if (!(holder instanceof ListValue))
      return holder instanceof MapValue ? new Failure('no such overload: @sortByAssociatedKeys') : notIterable(holder);
    const keyed: { readonly element: Value; readonly key: Value }[] = [];
    for (let i = 0; i < holder.length; i++) {
      run.names[place] = holder.at(i);
      run.meter.spend(elementCost);
      const value = key(run);
      if (value instanceof Failure) return value;
      keyed.push({ element: holder.at(i), key: value });
    }
    run.meter.spend(keysCost.before([new ArrayList(keyed.map((one) => one.key))], run.meter));
    return sortedByKeys(keyed, run);
  };
};

const all = over(1, () => () => new Decide(false, round.all));
const exists = over(1, () => () => new Decide(true, round.exists));
const existsOne = over(1, () => () => new Count());
const [allBoth, existsBoth, existsOneBoth] = [
  over(2, () => () => new Decide(false, round.all)),
  over(2, () => () => new Decide(true, round.exists)),
  over(2, () => () => new Count()),
];
type VisitorOf = Parameters<typeof over>[1];
const collect: VisitorOf = (bodies, _, costs) => () => new Collect(bodies === 2 ? 0 : null, bodies - 1, costs.emptyListCost);
/** The name in `element + [x]` costs a unit. */
const filter: VisitorOf = (_, element, costs) => {
  const kept: Code = (run) => {
    run.meter.spend(1);
    return element(run);
  };
  return () => new Collect(0, kept, costs.emptyListCost);
};
const entries =
  (filtered: boolean, keyed: boolean): VisitorOf =>
  (_, key, costs) =>
  () =>
    new CollectEntries(filtered, keyed ? key : null, costs.emptyMapCost);

/** Keyed by name and number of arguments, as in the checker. */
const macros: Readonly<Record<string, Macro>> = {
  'has/1': has,
  'cel.bind/3': bind,
  '.all/2': all,
  '.exists/2': exists,
  '.exists_one/2': existsOne,
  '.existsOne/2': existsOne,
  '.all/3': allBoth,
  '.exists/3': existsBoth,
  '.exists_one/3': existsOneBoth,
  '.existsOne/3': existsOneBoth,
  '.filter/2': over(1, filter),
  '.map/2': over(1, collect),
  '.map/3': over(1, collect),
  '.transformList/3': over(2, collect),
  '.transformList/4': over(2, collect),
  '.transformMap/3': over(2, entries(false, true)),
  '.transformMap/4': over(2, entries(true, true)),
  '.transformMapEntry/3': over(2, entries(false, false)),
  '.transformMapEntry/4': over(2, entries(true, false)),
  '.sortBy/2': sortBy,
  '.optMap/2': ofOptional(true),
  '.optFlatMap/2': ofOptional(false),
};

/** Reports whether a macro expands to a conditional. */
export const isConditionalMacro = ({ name, target, args }: Call): boolean =>
  target !== null && args.length === 2 && (name === 'optMap' || name === 'optFlatMap');

export function macroFor(call: Call): Macro | null {
  const before = call.target === null ? '' : dottedName(call.target) === 'cel' ? 'cel.' : '.';
  const key = `${before}${call.name}/${call.args.length}`;
  return Object.hasOwn(macros, key) ? (macros[key] ?? null) : null;
}
