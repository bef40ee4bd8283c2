import { functions } from '../check/functions.js';
import { dottedName, type Call, type Expression } from '../check/parser.js';
import { unknown, type Type } from '../check/types.js';
import { literalValue } from '../eval/literals.js';
import { sizeOf as valueSize } from '../eval/values.js';
import { estimateCall, type Part } from './calls.js';
import { capped, exactly, most, union, unknownSize, type Size } from './sizes.js';

/**
 * The most that an expression can cost, told before it ever runs from how large the values that it sees can be. Follows the reference's estimation step by step
 * (`checker/cost.go` of cel-go), for what it refuses is part of the API; macros cost what their expansions there do.
 */

/** Where a part lies below a variable: `['self', 'spec', 'items', '@items']`. */
export type PartPath = readonly string[];

/** How large the value at a place can be; null for a place that is not known. */
export type SizeAt = (path: PartPath) => Size | null;

const nameCost = 1;
const list = 10;
const map = 30;
const message = 40;

interface Local {
  readonly path: PartPath | null;
  readonly size: Size | null;
  readonly elements: Elements | null;
}
/** Sizes of the keys and values of a list or map that an expression makes. */
interface Elements {
  readonly key: Size;
  readonly value: Size;
}
interface Estimate {
  readonly cost: number;
  readonly path: PartPath | null;
  readonly size: Size | null;
  readonly elements: Elements | null;
}
type Locals = ReadonlyMap<string, Local>;

const scalar = new Set(['bool', 'double', 'int', 'uint', 'google.protobuf.Timestamp', 'google.protobuf.Duration']);

export function estimateCost(tree: Expression, types: ReadonlyMap<Expression, Type>, sizeAt: SizeAt): number {
  return new Estimator(types, sizeAt).of(tree, new Map()).cost;
}

const nothing: Expression = { kind: 'literal', type: 'null', text: 'null', at: 0 };

class Estimator {
  constructor(
    private readonly types: ReadonlyMap<Expression, Type>,
    private readonly sizeAt: SizeAt,
  ) {}

  of(expression: Expression, locals: Locals): Estimate {
    const estimate = this.#of(expression, locals);
    return { ...estimate, cost: capped(estimate.cost), size: estimate.size ?? this.#known(estimate.path, this.#type(expression)) };
  }

  #type(expression: Expression): Type {
    return this.types.get(expression) ?? unknown;
  }

  /** By the place of the value, or by its type. */
  #known(path: PartPath | null, type: Type): Size | null {
    const placed = path === null ? null : this.sizeAt(path);
    if (placed !== null) return placed;
    const inner = type.name === 'optional_type' ? (type.of[0] ?? type) : type;
    return scalar.has(inner.name) ? exactly(1) : null;
  }

  #of(expression: Expression, locals: Locals): Estimate {
    switch (expression.kind) {
      case 'literal':
        return made(0, exactly(expression.type === 'string' || expression.type === 'bytes' ? valueSize(literalValue(expression)) : 1));
      case 'name':
        return this.#name(expression.name, locals);
      case 'select':
        return this.#select(expression, locals);
      case 'index':
        return this.#index(expression, locals);
      case 'call':
        return this.#call(expression, locals);
      case 'list':
        return this.#list(expression.items, locals);
      case 'map':
        return this.#map(expression.entries, locals);
      case 'message':
        return made(
          expression.fields.reduce((sum, { value }) => sum + this.of(value, locals).cost, message),
          null,
        );
      case 'maybe':
        return this.of(expression.of, locals);
    }
  }

  #name(name: string, locals: Locals): Estimate {
    const local = locals.get(name);
    return local === undefined
      ? { cost: nameCost, path: [name], size: null, elements: null }
      : {
          cost: nameCost,
          path: local.path,
          size: (local.path === null ? null : this.sizeAt(local.path)) ?? local.size,
          elements: local.elements,
        };
  }

  #select({ of, field, optional }: Extract<Expression, { kind: 'select' }>, locals: Locals): Estimate {
    const holder = this.of(of, locals);
    if (optional) return made(holder.cost + 1, null);
    const type = this.#type(of);
    const counts = type.name === 'map' || type.fields !== undefined;
    return {
      cost: holder.cost + (counts ? nameCost : 0),
      path: holder.path === null ? null : [...holder.path, field],
      size: null,
      elements: null,
    };
  }

  #index({ of, key, optional }: Extract<Expression, { kind: 'index' }>, locals: Locals): Estimate {
    const [holder, index] = [this.of(of, locals), this.of(key, locals)];
    const type = this.#type(of).name;
    const step = type === 'list' ? '@items' : type === 'map' ? '@values' : null;
    const path = holder.path === null || step === null || optional ? null : [...holder.path, step];
    return { cost: holder.cost + index.cost + 1, path, size: holder.elements?.value ?? null, elements: null };
  }

  #list(items: readonly Expression[], locals: Locals): Estimate {
    const parts = items.map((item) => this.of(item, locals));
    return {
      cost: parts.reduce((sum, { cost }) => sum + cost, list),
      path: null,
      size: exactly(items.length),
      elements: { key: exactly(1), value: sizesOf(parts) },
    };
  }

  #map(entries: readonly { readonly key: Expression; readonly value: Expression }[], locals: Locals): Estimate {
    const keys = entries.map(({ key }) => this.of(key, locals));
    const values = entries.map(({ value }) => this.of(value, locals));
    return {
      cost: [...keys, ...values].reduce((sum, { cost }) => sum + cost, map),
      path: null,
      size: exactly(entries.length),
      elements: { key: sizesOf(keys), value: sizesOf(values) },
    };
  }

  #call(call: Call, locals: Locals): Estimate {
    const macro = this.#macro(call, locals);
    if (macro !== null) return macro;
    const { name, target, args } = call;
    const owner = target === null ? null : dottedName(target);
    const isQualified = owner !== null && functions.has(`${owner}.${name}`) && !locals.has(owner.split('.')[0] ?? '');
    const on = target === null || isQualified ? null : target;
    const [targetEstimate, estimates] = [on === null ? null : this.of(on, locals), args.map((argument) => this.of(argument, locals))];
    const sum = estimates.reduce((total, { cost }) => total + cost, targetEstimate?.cost ?? 0);
    if (name === 'dyn' && target === null) return { ...(estimates[0] ?? made(0, null)), cost: sum + 1, path: null };
    if (name === '_&&_' || name === '_||_') return made(sum, null);
    const parts = args.map((argument, i) => this.#part(argument, estimates[i] ?? made(0, null)));
    const estimate = estimateCall(
      isQualified ? `${owner}.${name}` : name,
      on === null || targetEstimate === null ? null : this.#part(on, targetEstimate),
      parts,
    );
    if (name === '_?_:_') {
      const [condition, yes, no] = estimates;
      return {
        cost: (condition?.cost ?? 0) + Math.max(yes?.cost ?? 0, no?.cost ?? 0),
        path: null,
        size: estimate.size ?? null,
        elements: both(yes?.elements, no?.elements),
      };
    }
    const elements = name === '_+_' ? both(estimates[0]?.elements, estimates[1]?.elements) : null;
    return { cost: sum + estimate.cost, path: null, size: estimate.size ?? null, elements };
  }

  #part(expression: Expression, estimate: Estimate): Part {
    const path = estimate.path;
    return {
      expression,
      type: this.#type(expression),
      size: estimate.size,
      elements: (path === null ? null : this.sizeAt([...path, '@items'])) ?? estimate.elements?.value ?? null,
    };
  }

  #macro(call: Call, locals: Locals): Estimate | null {
    const { name, target, args } = call;
    if (target === null) return name === 'has' && args.length === 1 ? this.#has(args[0] ?? nothing, locals) : null;
    if (name === 'bind' && dottedName(target) === 'cel') return this.#bind(args, locals);
    if ((name === 'optMap' || name === 'optFlatMap') && args.length === 2) return this.#optional(target, args, name === 'optMap', locals);
    const walk = Object.hasOwn(walks, `${name}/${args.length}`) ? walks[`${name}/${args.length}`] : undefined;
    return walk === undefined ? null : this.#walk(walk, target, args, locals);
  }

  /** To ask for a member costs nothing beside what leads to it. */
  #has(argument: Expression, locals: Locals): Estimate {
    return made(argument.kind === 'select' ? this.of(argument.of, locals).cost : 0, exactly(1));
  }

  #bind([name = nothing, value = nothing, body = nothing]: readonly Expression[], locals: Locals): Estimate {
    const bound = this.of(value, locals);
    const result = this.of(body, new Map([...locals, [nameOf(name), bound]]));
    return { ...result, cost: list + bound.cost + result.cost };
  }

  #optional(target: Expression, [name = nothing, body = nothing]: readonly Expression[], wraps: boolean, locals: Locals): Estimate {
    const of = this.of(target, locals);
    const result = this.of(body, new Map([...locals, [nameOf(name), { path: null, size: null, elements: null }]]));
    return made(of.cost + 1 + list + of.cost + 1 + result.cost + (wraps ? 1 : 0), null);
  }

  #walk(walk: Walk, target: Expression, args: readonly Expression[], locals: Locals): Estimate {
    const range = this.of(target, locals);
    const count = range.size ?? unknownSize;
    const within = new Map([...locals, ...this.#variables(range, this.#type(target), args.slice(0, walk.variables))]);
    const bodies = args.slice(walk.variables).map((body) => this.of(body, within));
    const step = walk.step(bodies.map(({ cost }) => cost));
    const value = walk.collects
      ? union(
          exactly(0),
          walk.collects === 'elements' ? (within.get(nameOf(args[0]))?.size ?? unknownSize) : (bodies.at(-1)?.size ?? unknownSize),
        )
      : null;
    const size = walk.collects ? count : exactly(1);
    return {
      cost: range.cost + walk.start + capped(count.max * step) + walk.end,
      path: null,
      size,
      elements: value === null ? null : { key: exactly(1), value },
    };
  }

  /** What a walk shows: an element of a list or a key of a map; or both the position or key, and the element. */
  #variables(range: Estimate, type: Type, names: readonly Expression[]): [string, Local][] {
    const isMap = type.name === 'map';
    const local = (step: string, size: Size | null): Local => {
      const path = range.path === null ? null : [...range.path, step];
      return { path, size, elements: null };
    };
    const [key, value] = isMap
      ? [local('@keys', range.elements?.key ?? null), local('@values', range.elements?.value ?? null)]
      : [local('@indices', exactly(1)), local('@items', range.elements?.value ?? null)];
    const [first = nothing, second] = names;
    return second === undefined
      ? [[nameOf(first), isMap ? key : value]]
      : [
          [nameOf(first), key],
          [nameOf(second), value],
        ];
  }
}

interface Walk {
  readonly variables: 1 | 2;
  readonly start: number;
  /** Of one round, by the costs of the expressions in it. */
  readonly step: (bodies: readonly number[]) => number;
  readonly end: number;
  readonly collects: 'elements' | 'results' | null;
}

const lastOf = (bodies: readonly number[]): number => bodies.at(-1) ?? 0;
const conditionOf = (bodies: readonly number[]): number => (bodies.length > 1 ? (bodies[0] ?? 0) : 0);
const all: Walk = { variables: 1, start: 0, step: (bodies) => 3 + lastOf(bodies), end: 1, collects: null };
const exists: Walk = { ...all, step: (bodies) => 4 + lastOf(bodies) };
const existsOne: Walk = { ...all, step: (bodies) => 2 + lastOf(bodies), end: 2 };
const filter: Walk = { variables: 1, start: list, step: (bodies) => lastOf(bodies) + list + 3, end: 1, collects: 'elements' };
const collect: Walk = {
  variables: 1,
  start: list,
  step: (bodies) => conditionOf(bodies) + lastOf(bodies) + list + 2,
  end: 1,
  collects: 'results',
};
const entries: Walk = { variables: 2, start: map, step: (bodies) => conditionOf(bodies) + lastOf(bodies) + 3, end: 1, collects: 'results' };
const both2 = (walk: Walk): Walk => ({ ...walk, variables: 2 });

const walks: Readonly<Record<string, Walk>> = {
  'all/2': all,
  'exists/2': exists,
  'exists_one/2': existsOne,
  'existsOne/2': existsOne,
  'all/3': both2(all),
  'exists/3': both2(exists),
  'exists_one/3': both2(existsOne),
  'existsOne/3': both2(existsOne),
  'filter/2': filter,
  'map/2': collect,
  'map/3': collect,
  'transformList/3': both2(collect),
  'transformList/4': both2(collect),
  'transformMap/3': entries,
  'transformMap/4': entries,
  'transformMapEntry/3': entries,
  'transformMapEntry/4': entries,
};

const made = (cost: number, size: Size | null): Estimate => ({ cost, path: null, size, elements: null });
const nameOf = (expression: Expression | undefined): string => (expression?.kind === 'name' ? expression.name : '');
const both = (one: Elements | null | undefined, other: Elements | null | undefined): Elements | null =>
  one && other ? { key: union(one.key, other.key), value: union(one.value, other.value) } : null;
const sizesOf = (parts: readonly Estimate[]): Size =>
  parts.length === 0 ? exactly(0) : parts.map(({ size }) => size ?? unknownSize).reduce(union, { min: most, max: 0 });
