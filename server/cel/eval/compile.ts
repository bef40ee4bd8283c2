import { dottedName, type Call, type Expression } from '../check/parser.js';
import { typeNames } from '../check/functions.js';
import { functionFor } from './functions/registry.js';
import type { Implementation } from './functions/library.js';
import { callCost } from './costs.js';
import { addEntry, notOptional } from './entries.js';
import { literalValue, negatedLiteral } from './literals.js';
import { macroFor, type MacroCompiler, type Names } from './macros.js';
import { binaryOperators, conditional, indexed, inside, logical, negate, not, orElse, selected, selectedMaybe } from './operators.js';
import type { Code } from './run.js';
import { ArrayList, EntryMap, Failure, Message, Optional, TypeValue, weightOf, type Value } from './values.js';

/** Costs of the reference's units. */
const nameCost = 1;
const listCost = 10;
const mapCost = 30;
const messageCost = 40;

/** Turns a tree into functions, once; names are looked up while that is done. */
export class Compiler implements MacroCompiler {
  #places = 0;

  /** `variables` are the names of the top level, also those with points (`authorizer.requestResource`). */
  constructor(
    private readonly variables: ReadonlySet<string>,
    private readonly uses: Set<string> = new Set(),
  ) {}

  get places(): number {
    return this.#places;
  }

  place(): number {
    return this.#places++;
  }

  code(expression: Expression, names: Names): Code {
    switch (expression.kind) {
      case 'literal':
        return constant(literalValue(expression));
      case 'name':
        return this.#name(expression.name, names);
      case 'select':
        return this.#select(expression, names);
      case 'index':
        return this.#index(expression, names);
      case 'call':
        return this.#call(expression, names);
      case 'list':
        return this.#list(expression, names);
      case 'map':
        return this.#map(expression, names);
      case 'message':
        return this.#message(expression, names);
      case 'maybe':
        return this.code(expression.of, names);
    }
  }

  #name(name: string, names: Names): Code {
    const place = names.get(name);
    if (place !== undefined)
      return (run) => {
        run.meter.spend(nameCost);
        return run.names[place] ?? null;
      };
    if (this.variables.has(name) || !typeNames.has(name)) return this.#variable(name);
    return constant(new TypeValue(name));
  }

  #variable(name: string): Code {
    this.uses.add(name);
    const missing = new Failure(`no such attribute(s): ${name}`);
    return (run) => {
      run.meter.spend(nameCost);
      return orElse(run.activation(name), missing);
    };
  }

  #select(expression: Extract<Expression, { kind: 'select' }>, names: Names): Code {
    const whole = dottedName(expression);
    if (whole !== null && !names.has(whole.split('.')[0] ?? '')) {
      if (this.variables.has(whole)) return this.#variable(whole);
      if (typeNames.has(whole)) return constant(new TypeValue(whole));
    }
    const { field, optional } = expression;
    const of = this.code(expression.of, names);
    const missing = new Failure(`no such key: ${field}`);
    return (run) => {
      const holder = of(run);
      run.meter.spend(nameCost);
      return optional ? selectedMaybe(holder, field) : selected(holder, field, missing);
    };
  }

  #index({ of, key, optional }: Extract<Expression, { kind: 'index' }>, names: Names): Code {
    const [holder, index] = [this.code(of, names), this.code(key, names)];
    return (run) => {
      const [value, at] = [holder(run), index(run)];
      run.meter.spend(nameCost);
      return indexed(value, at, optional);
    };
  }

  #call(call: Call, names: Names): Code {
    const macro = macroFor(call);
    if (macro !== null) return macro(call, names, this);
    const { name, target, args } = call;
    if (target === null) {
      const operator = this.#operator(name, args, names);
      if (operator !== null) return operator;
    }
    const owner = target === null ? null : dottedName(target);
    const qualified =
      owner !== null && !names.has(owner.split('.')[0] ?? '') && !this.variables.has(owner)
        ? functionFor(`${owner}.${name}`, args.length, false)
        : null;
    if (qualified !== null)
      return invoke(
        `${owner}.${name}`,
        qualified,
        args.map((one) => this.code(one, names)),
      );
    const implementation = functionFor(name, args.length, target !== null);
    const parts = (target === null ? args : [target, ...args]).map((one) => this.code(one, names));
    return implementation === null ? constant(new Failure(`no such overload: ${name}`)) : invoke(name, implementation, parts);
  }

  #operator(name: string, args: readonly Expression[], names: Names): Code | null {
    const [first] = args;
    if (name === '-_' && first?.kind === 'literal') {
      const value = negatedLiteral(first);
      if (value !== null) return constant(value);
    }
    const parts = args.map((one) => this.code(one, names));
    const [one = constant(null), two = constant(null), three = constant(null)] = parts;
    switch (name) {
      case '_&&_':
        return logical(parts, false);
      case '_||_':
        return logical(parts, true);
      case '_?_:_':
        return conditional(one, { yes: two, no: three });
      case '!_':
        return not(one);
      case '-_':
        return negate(one);
      case '@in':
        return inside(one, { all: two });
      default:
        return binaryOperators.get(name)?.(one, two) ?? null;
    }
  }

  #list({ items }: Extract<Expression, { kind: 'list' }>, names: Names): Code {
    const parts = items.map((item) => ({ maybe: item.kind === 'maybe', code: this.code(item, names) }));
    return (run) => {
      const values: Value[] = [];
      for (const { maybe, code } of parts) {
        const value = code(run);
        if (value instanceof Failure) return value;
        if (!maybe) values.push(value);
        else if (!(value instanceof Optional)) return notOptional;
        else if (value.value !== undefined) values.push(value.value);
      }
      run.meter.spend(listCost);
      return new ArrayList(values);
    };
  }

  #map({ entries }: Extract<Expression, { kind: 'map' }>, names: Names): Code {
    const parts = entries.map(({ key, value }) => ({
      maybe: value.kind === 'maybe' || key.kind === 'maybe',
      key: this.code(key, names),
      value: this.code(value, names),
    }));
    return (run) => {
      const made = new Map<string, readonly [Value, Value]>();
      for (const { maybe, key, value } of parts) {
        const wrong = addEntry(made, key(run), value(run), maybe);
        if (wrong !== null) return wrong;
      }
      run.meter.spend(mapCost);
      return new EntryMap(made);
    };
  }

  #message({ name, fields }: Extract<Expression, { kind: 'message' }>, names: Names): Code {
    const parts = fields.map((field) => ({ name: field.name, maybe: field.value.kind === 'maybe', code: this.code(field.value, names) }));
    return (run) => {
      const made = new Map<string, Value>();
      for (const part of parts) {
        const value = part.code(run);
        if (value instanceof Failure) return value;
        if (!part.maybe) made.set(part.name, value);
        else if (!(value instanceof Optional)) return notOptional;
        else if (value.value !== undefined) made.set(part.name, value.value);
      }
      run.meter.spend(messageCost);
      return new Message(name, made);
    };
  }
}

const constant =
  (value: Value): Code =>
  () =>
    value;

/**
 * Functions see no failures: the first argument that failed is the result. What the arguments cost is charged before the function sees them, and going
 * through their texts as well, whatever it costs.
 */
function invoke(name: string, implementation: Implementation, parts: readonly Code[]): Code {
  const { before, after } = callCost(name);
  return (run) => {
    const args: Value[] = [];
    for (const part of parts) {
      const value = part(run);
      if (value instanceof Failure) return value;
      args.push(value);
      run.meter.traverse(weightOf(value));
    }
    run.meter.spend(before(args));
    const result = implementation(args, run);
    if (after !== undefined) run.meter.spend(after(args, result));
    return result;
  };
}
