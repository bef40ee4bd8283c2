import { functions } from '../check/functions.js';
import { dottedName, type Call, type Expression } from '../check/parser.js';
import { dyn, type Type } from '../check/types.js';
import { literalValue } from '../eval/literals.js';
import { sizeOf as valueSize } from '../eval/values.js';
import { estimateByLanguage, estimateByLibrary, type CallEstimate, type KnownSizes, type Part } from './calls.js';
import { optionalMacros, walks, type Walk } from './macros.js';
import { Place } from './paths.js';
import { capped, exactly, most, union, unionOfEntries, unknownSize, type EntrySizes, type Size } from './sizes.js';

/**
 * Estimates the maximum cost of an expression from its inputs' sizes. Follows the reference (`checker/cost.go` of cel-go) step by step, because refusals are
 * part of the API; macros cost as much as their expansions there.
 */

/** A place below a variable: `['self', 'spec', 'items', '@items']`. Never empty. */
export type PartPath = readonly string[];

/** The maximum size of the value at a place, or null. */
export type SizeAt = (path: PartPath) => Size | null;

const nameCost = 1;
const list = 10;
const map = 30;
const message = 40;

interface Local {
  readonly place: Place;
  readonly size: Size | null;
  readonly entries: EntrySizes | null;
}
type Locals = ReadonlyMap<string, Local>;

const scalar = new Set(['bool', 'double', 'int', 'uint', 'google.protobuf.Timestamp', 'google.protobuf.Duration']);

export function estimateCost(tree: Expression, types: ReadonlyMap<Expression, Type>, sizeAt: SizeAt): number {
  return new Estimator(types, sizeAt).cost(tree, new Map());
}

const nothing: Expression = { kind: 'literal', type: 'null', text: 'null', at: 0 };

class Estimator implements KnownSizes {
  readonly #types: ReadonlyMap<Expression, Type>;
  readonly #sizeAt: SizeAt;
  readonly #places = new Map<Expression, Place>();
  readonly #sizes = new Map<Expression, Size>();
  readonly #entries = new Map<Expression, EntrySizes>();

  constructor(types: ReadonlyMap<Expression, Type>, sizeAt: SizeAt) {
    this.#types = types;
    this.#sizeAt = sizeAt;
  }

  cost(expression: Expression, locals: Locals): number {
    return capped(this.#cost(expression, locals));
  }

  #cost(expression: Expression, locals: Locals): number {
    switch (expression.kind) {
      case 'literal':
        return 0;
      case 'name':
        this.#places.set(expression, locals.get(expression.name)?.place ?? Place.of(expression.name));
        return nameCost;
      case 'select':
        return this.#select(expression, locals);
      case 'index':
        return this.#index(expression, locals);
      case 'call':
        return this.#macro(expression, locals) ?? this.#call(expression, locals);
      case 'list':
        return this.#list(expression, locals);
      case 'map':
        return this.#map(expression, locals);
      case 'message':
        return expression.fields.reduce((sum, { value }) => sum + this.cost(value, locals), message);
      case 'maybe':
        return this.cost(expression.of, locals);
    }
  }

  #type(expression: Expression): Type {
    return this.#types.get(expression) ?? dyn;
  }

  #placeOf(expression: Expression): Place {
    return this.#places.get(expression) ?? Place.nowhere;
  }

  #at(place: Place): Size | null {
    return place.length === 0 ? null : this.#sizeAt(place.steps);
  }

  /** Tries the earlier result, the expression, its place, its type, and the name's value. */
  #size(expression: Expression, locals: Locals): Size | null {
    const found = this.#sizes.get(expression) ?? writtenSize(expression);
    if (found !== null) return found;
    const placed = this.#at(this.#placeOf(expression));
    if (placed !== null) {
      this.#sizes.set(expression, placed);
      return placed;
    }
    const type = this.#type(expression);
    const inner = type.name === 'optional_type' ? (type.of[0] ?? type) : type;
    if (scalar.has(inner.name)) return exactly(1);
    return expression.kind === 'name' ? (locals.get(expression.name)?.size ?? null) : null;
  }

  #entriesOf(expression: Expression, locals: Locals): EntrySizes | null {
    const found = this.#entries.get(expression);
    if (found !== undefined) return found;
    return expression.kind === 'name' ? (locals.get(expression.name)?.entries ?? null) : null;
  }

  #keep(expression: Expression, size: Size | null | undefined, entries: EntrySizes | null = null): void {
    if (size) this.#sizes.set(expression, size);
    if (entries !== null) this.#entries.set(expression, entries);
  }

  of(part: Part): Size {
    return part.size ?? this.#at(part.place) ?? unknownSize;
  }

  ofElements({ place }: Part): Size {
    return place.length === 0 ? unknownSize : (this.#sizeAt([...place.steps, '@items']) ?? unknownSize);
  }

  #select(expression: Extract<Expression, { kind: 'select' }>, locals: Locals): number {
    const { of, field, optional } = expression;
    const cost = this.cost(of, locals);
    // An optional selection is a call of unknown result.
    if (optional) return cost + 1;
    const type = this.#type(of);
    this.#places.set(expression, this.#placeOf(of).append(field));
    return cost + (type.name === 'map' || type.fields !== undefined ? nameCost : 0);
  }

  #index(expression: Extract<Expression, { kind: 'index' }>, locals: Locals): number {
    const { of, key, optional } = expression;
    const cost = this.cost(of, locals) + this.cost(key, locals) + 1;
    if (optional) return cost;
    const type = this.#type(of).name;
    // A value that may be either counts as a map.
    const steps = stepsInto[type] ?? ['@items', '@values'];
    for (const step of steps) {
      this.#places.set(expression, this.#placeOf(of).append(step));
      this.#keep(expression, this.#entriesOf(of, locals)?.value ?? this.#size(expression, locals));
    }
    return cost;
  }

  #list(expression: Extract<Expression, { kind: 'list' }>, locals: Locals): number {
    const visited = expression.items.map((item) => ({ cost: this.cost(item, locals), size: this.#size(item, locals) }));
    this.#keep(expression, null, { container: 'list', key: exactly(1), value: spanOf(visited.map(({ size }) => size)) });
    return visited.reduce((sum, { cost }) => sum + cost, list);
  }

  #map(expression: Extract<Expression, { kind: 'map' }>, locals: Locals): number {
    const visited = expression.entries.map(({ key, value }) => ({
      cost: this.cost(key, locals) + this.cost(value, locals),
      key: this.#size(key, locals),
      value: this.#size(value, locals),
    }));
    this.#keep(expression, null, {
      container: 'map',
      key: spanOf(visited.map(({ key }) => key)),
      value: spanOf(visited.map(({ value }) => value)),
    });
    return visited.reduce((sum, { cost }) => sum + cost, map);
  }

  #part(expression: Expression, locals: Locals): Part {
    return {
      expression,
      type: this.#type(expression),
      place: this.#placeOf(expression),
      size: this.#size(expression, locals),
    };
  }

  #call(call: Call, locals: Locals): number {
    const { name, target, args } = call;
    const owner = target === null ? null : dottedName(target);
    const isQualified = owner !== null && functions.has(`${owner}.${name}`) && !locals.has(owner.split('.')[0] ?? '');
    // Arguments come before the receiver.
    const visited = args.map((argument) => ({ cost: this.cost(argument, locals), part: this.#part(argument, locals) }));
    const on = target === null || isQualified ? null : target;
    const [targetCost, targetPart] = on === null ? [0, null] : [this.cost(on, locals), this.#part(on, locals)];
    const sum = visited.reduce((total, { cost }) => total + cost, targetCost);
    if (name === 'dyn' && target === null) {
      this.#yields(call, args[0] ?? nothing, locals);
      return sum + 1;
    }
    if (name === '_&&_' || name === '_||_') return sum;
    if (name === '_?_:_')
      return this.#choice(
        call,
        visited.map(({ cost }) => cost),
        locals,
      );
    if (name === '_+_') this.#keep(call, null, this.#both(args[0], args[1], locals));
    const { cost, size } = this.#estimate(
      isQualified ? `${owner}.${name}` : name,
      targetPart,
      visited.map(({ part }) => part),
    );
    this.#keep(call, size ?? this.#size(call, locals));
    return sum + cost;
  }

  #estimate(name: string, target: Part | null, args: readonly Part[]): CallEstimate {
    return estimateByLibrary(name, target, args, this) ?? estimateByLanguage(name, target, args);
  }

  #choice(call: Call, [condition = 0, yes = 0, no = 0]: readonly number[], locals: Locals): number {
    const [, one = nothing, other = nothing] = call.args;
    const size = union(this.#size(one, locals) ?? unknownSize, this.#size(other, locals) ?? unknownSize);
    this.#keep(call, size, this.#both(one, other, locals));
    return condition + Math.max(yes, no);
  }

  #both(one: Expression | undefined, other: Expression | undefined, locals: Locals): EntrySizes | null {
    return one === undefined || other === undefined ? null : unionOfEntries(this.#entriesOf(one, locals), this.#entriesOf(other, locals));
  }

  /** The call's value is that of one of its parts. */
  #yields(call: Call, part: Expression, locals: Locals): void {
    this.#keep(call, this.#size(part, locals), this.#entriesOf(part, locals));
  }

  #macro(call: Call, locals: Locals): number | null {
    const { name, target, args } = call;
    const [first = nothing, second = nothing, third = nothing] = args;
    // Testing a member costs only the path to it.
    if (target === null) return name === 'has' && args.length === 1 ? (first.kind === 'select' ? this.cost(first.of, locals) : 0) : null;
    if (name === 'bind' && args.length === 3 && dottedName(target) === 'cel') {
      const bound = this.cost(second, locals);
      return this.#bound(call, bound, this.#local(second, locals), { name: first, body: third, locals });
    }
    if (name === 'sortBy' && args.length === 2) return this.#sortBy(call, target, locals);
    const wraps = optionalMacros.get(`${name}/${args.length}`);
    if (wraps !== undefined) return this.#optional(call, target, { wraps, locals });
    const walk = walks.get(`${name}/${args.length}`);
    return walk === undefined ? null : this.#walk(call, walk, { expression: target, type: this.#type(target) }, locals);
  }

  #local(expression: Expression, locals: Locals): Local {
    return {
      place: this.#placeOf(expression),
      size: this.#size(expression, locals),
      entries: this.#entriesOf(expression, locals),
    };
  }

  /** Iterates over an empty list, whose result sees the bound value. */
  #bound(call: Call, value: number, local: Local, { name, body, locals }: Binding): number {
    const within = new Map([...locals, [nameOf(name), local]]);
    const cost = list + value + this.cost(body, within);
    this.#yields(call, body, within);
    return cost;
  }

  /** `o.hasValue() ? optional.of(bind(x, o.value(), body)) : optional.none()`. */
  #optional(call: Call, target: Expression, { wraps, locals }: { readonly wraps: boolean; readonly locals: Locals }): number {
    const [name = nothing, body = nothing] = call.args;
    const condition = this.cost(target, locals) + 1;
    const value = this.cost(target, locals) + 1;
    const inner = this.#type(target).of[0] ?? dyn;
    const local: Local = { place: Place.nowhere, size: scalar.has(inner.name) ? exactly(1) : null, entries: null };
    const within = new Map([...locals, [nameOf(name), local]]);
    const cost = list + value + this.cost(body, within) + (wraps ? 1 : 0);
    this.#keep(call, this.#size(call, locals) ?? unknownSize);
    return condition + Math.max(cost, 1);
  }

  /** `bind(input, list, input.@sortByAssociatedKeys(input.map(x, key)))`. */
  #sortBy(call: Call, target: Expression, locals: Locals): number {
    const walk = walks.get('map/2');
    if (walk === undefined) return 0;
    const value = this.cost(target, locals);
    const input: Expression = { kind: 'name', name: '@input', at: call.at };
    const keys: Call = { ...call, name: 'map', target: input };
    const within = new Map([...locals, ['@input', this.#local(target, locals)]]);
    const cost = this.#walk(keys, walk, { expression: input, type: this.#type(target) }, within);
    const element = this.#types.get(call.args[1] ?? nothing) ?? dyn;
    const part: Part = { ...this.#part(keys, within), type: { name: 'list', of: [element] } };
    const estimate = this.#estimate('@sortByAssociatedKeys', null, [part]);
    this.#keep(call, estimate.size);
    return list + value + nameCost + cost + estimate.cost;
  }

  #walk(call: Call, walk: Walk, range: Range, locals: Locals): number {
    const rangeCost = this.cost(range.expression, locals);
    const within = new Map([...locals, ...this.#variables(range, call.args.slice(0, walk.variables), locals)]);
    const bodies = call.args.slice(walk.variables);
    const step = walk.step(bodies.map((body) => this.cost(body, within)));
    // Elements are counted after their visit.
    const count = this.#size(range.expression, locals) ?? unknownSize;
    // Elements kept by a filter are found by their place.
    if (walk.makes === 'element') this.cost(call.args[0] ?? nothing, within);
    const made = walk.makes === 'element' ? call.args[0] : walk.makes === 'result' ? bodies.at(-1) : undefined;
    const value = made === undefined ? null : union(exactly(0), this.#size(made, within) ?? unknownSize);
    const entries: EntrySizes | null = value === null ? null : { container: 'list', key: exactly(1), value };
    this.#keep(call, walk.makes === 'answer' ? exactly(1) : count, entries);
    return rangeCost + walk.start + capped(count.max * step) + walk.end;
  }

  /** Returns the variables of an iteration: an element or a map's key; or position or key, and element. */
  #variables({ expression, type }: Range, names: readonly Expression[], locals: Locals): [string, Local][] {
    const entries = this.#entriesOf(expression, locals);
    const isList = (entries?.container ?? type.name) === 'list';
    const place = this.#placeOf(expression);
    const key = (): Local => ({ place: place.append(isList ? '@indices' : '@keys'), size: entries?.key ?? null, entries: null });
    const value = (): Local => ({ place: place.append(isList ? '@items' : '@values'), size: entries?.value ?? null, entries: null });
    const [first = nothing, second] = names;
    if (second === undefined) return [[nameOf(first), isList ? value() : key()]];
    return [
      [nameOf(first), key()],
      [nameOf(second), value()],
    ];
  }
}

/** Steps to an element by the indexed type. Null here is an optional list or map, whose elements have no place. */
const stepsInto: Readonly<Record<string, readonly string[]>> = { list: ['@items'], map: ['@values'], optional_type: [], null: [] };

interface Range {
  readonly expression: Expression;
  readonly type: Type;
}

interface Binding {
  readonly name: Expression;
  readonly body: Expression;
  readonly locals: Locals;
}

const nameOf = (expression: Expression | undefined): string => (expression?.kind === 'name' ? expression.name : '');

function writtenSize(expression: Expression): Size | null {
  switch (expression.kind) {
    case 'literal':
      return exactly(expression.type === 'string' || expression.type === 'bytes' ? valueSize(literalValue(expression)) : 1);
    case 'list':
      return exactly(expression.items.length);
    case 'map':
      return exactly(expression.entries.length);
    default:
      return null;
  }
}

const spanOf = (sizes: readonly (Size | null)[]): Size =>
  sizes.length === 0 ? exactly(0) : sizes.map((size) => size ?? unknownSize).reduce(union, { min: most, max: 0 });
