import { dottedName, type Call, type Expression } from '../check/parser.js';
import { patternNames, typeNames } from '../check/functions.js';
import { isOpen } from '../check/types.js';
import { element, evaluated, member, type Attribute } from './attributes.js';
import { costOf, invoke, isAmbiguous, naming, ofTimestamp, type Types } from './calls.js';
import { areConstants, constant, constantValue, conversionNames, folded } from './constants.js';
import { callCost, nominal, type CallCost } from './costs.js';
import { notOptional, putEntry } from './entries.js';
import { functionFor } from './functions/registry.js';
import { literalValue } from './literals.js';
import { alternatives } from './functions/optionals.js';
import { isConditionalMacro, macroFor, type MacroCompiler, type Names } from './macros.js';
import { binaryOperators, conditional, inside, isMember, logical, negate, not, orElse } from './operators.js';
import type { Code } from './run.js';
import { ArrayList, EntryMap, Failure, ListValue, Message, noOverload, Optional, TypeValue, UInt, type Value } from './values.js';

const listCost = 10;
const mapCost = 30;
const messageCost = 40;

export interface Plan {
  /** Top-level names, including those with points (`authorizer.requestResource`). */
  readonly variables: ReadonlySet<string>;
  /** Null for an unchecked expression, whose values select the overload. */
  readonly types: Types | null;
  /** Folds constant expressions, which are then free, as in all environments of the reference; its cost tables are for one without folding. */
  readonly folds: boolean;
}

/** Compiles a tree into closures; names are resolved at compile time. */
export class Compiler implements MacroCompiler {
  readonly #plan: Plan;
  readonly #uses: Set<string>;
  #places = 0;
  readonly #deferred = new Map<number, Code>();

  constructor(plan: Plan, uses: Set<string> = new Set()) {
    this.#plan = plan;
    this.#uses = uses;
  }

  get places(): number {
    return this.#places;
  }

  place(deferred?: Code): number {
    if (deferred !== undefined) this.#deferred.set(this.#places, deferred);
    return this.#places++;
  }

  get emptyListCost(): number {
    return this.#plan.folds ? 0 : listCost;
  }

  get emptyMapCost(): number {
    return this.#plan.folds ? 0 : mapCost;
  }

  sortCost({ args: [, key] }: Call): CallCost {
    const type = key === undefined ? undefined : this.#plan.types?.get(key);
    return type !== undefined && isOpen(type) ? nominal : callCost('@sortByAssociatedKeys');
  }

  code(expression: Expression, names: Names): Code {
    const attribute = this.attribute(expression, names);
    if (attribute !== null) return evaluated(attribute);
    switch (expression.kind) {
      case 'literal':
        return constant(literalValue(expression));
      case 'name':
      case 'select':
      case 'index':
        return constant(new TypeValue(dottedName(expression) ?? ''));
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

  /** A name, a member, or a conditional; null for anything else. */
  attribute(expression: Expression, names: Names): Attribute | null {
    switch (expression.kind) {
      case 'name':
        return this.#name(expression.name, names);
      case 'select':
        return this.#select(expression, names);
      case 'index':
        return element(this.holder(expression.of, names), this.#unchargedCode(expression.key, names), expression.optional);
      case 'call':
        return this.#conditional(expression, names);
      default:
        return null;
    }
  }

  holder(expression: Expression, names: Names): Attribute {
    return this.attribute(expression, names) ?? { resolve: this.code(expression, names), cost: 1 };
  }

  #unchargedCode(expression: Expression, names: Names): Code {
    return this.attribute(expression, names)?.resolve ?? this.code(expression, names);
  }

  #name(name: string, names: Names): Attribute | null {
    const place = names.get(name);
    if (place === undefined) return this.#plan.variables.has(name) || !typeNames.has(name) ? this.#variable(name) : null;
    const deferred = this.#deferred.get(place);
    const resolve: Code =
      deferred === undefined
        ? (run) => run.names[place] ?? null
        : (run) => {
            const known = run.names[place];
            return known === undefined ? (run.names[place] = deferred(run)) : known;
          };
    return { resolve, cost: 1 };
  }

  #variable(name: string): Attribute {
    this.#uses.add(name);
    const missing = new Failure(`no such attribute(s): ${name}`);
    return { resolve: (run) => orElse(run.activation(name), missing), cost: 1 };
  }

  #select(expression: Extract<Expression, { kind: 'select' }>, names: Names): Attribute | null {
    const whole = dottedName(expression);
    if (whole !== null && !names.has(whole.split('.')[0] ?? '')) {
      if (this.#plan.variables.has(whole)) return this.#variable(whole);
      if (typeNames.has(whole)) return null;
    }
    return member(this.holder(expression.of, names), expression.field, expression.optional);
  }

  #conditional(call: Call, names: Names): Attribute | null {
    const [condition, yes, no] = call.args;
    if (isConditionalMacro(call)) return { resolve: macroFor(call)?.(call, names, this) ?? constant(noOverload), cost: 0 };
    if (call.name !== '_?_:_' || condition === undefined || yes === undefined || no === undefined) return null;
    const branches = { yes: this.#unchargedCode(yes, names), no: this.#unchargedCode(no, names) };
    return { resolve: conditional(this.code(condition, names), branches), cost: 0 };
  }

  #call(call: Call, names: Names): Code {
    const macro = macroFor(call);
    if (macro !== null) return macro(call, names, this);
    const { name, target, args } = call;
    if (target === null) {
      const operator = this.#operator(call, names);
      if (operator !== null) return operator;
    }
    const owner = target === null ? null : dottedName(target);
    const qualified =
      owner !== null && !names.has(owner.split('.')[0] ?? '') && !this.#plan.variables.has(owner)
        ? functionFor(`${owner}.${name}`, args.length, false)
        : null;
    if (qualified !== null)
      return invoke(
        callCost(`${owner}.${name}`),
        naming(`${owner}.${name}`, qualified),
        args.map((one) => this.code(one, names)),
      );
    const implementation = functionFor(name, args.length, target !== null);
    const parts = (target === null ? args : [target, ...args]).map((one) => this.code(one, names));
    const otherwise = implementation === null || target === null ? undefined : alternatives.get(name);
    if (otherwise !== undefined) return otherwise(parts[0] ?? constant(null), parts[1] ?? constant(null));
    if (implementation === null) return constant(new Failure(`no such overload: ${name}`));
    // A constant pattern is compiled beforehand, and its call's error has no types.
    const says = patternNames.has(name) && parts[1] !== undefined && constantValue(parts[1]) !== undefined;
    const named = says ? implementation : naming(name, implementation);
    const isOfTime =
      conversionNames.has(name) && args[0] !== undefined && this.#plan.types?.get(args[0])?.name === 'google.protobuf.Timestamp';
    const code = invoke(costOf(call, this.#plan.types), isOfTime ? ofTimestamp(name, named) : named, parts);
    return this.#plan.folds && parts.length === 1 && conversionNames.has(name) && areConstants(parts) ? folded(code) : code;
  }

  #operator(call: Call, names: Names): Code | null {
    const { name, args } = call;
    const parts = args.map((one) => this.code(one, names));
    const [one = constant(null), two = constant(null)] = parts;
    switch (name) {
      case '_&&_':
        return logical(parts, false);
      case '_||_':
        return logical(parts, true);
      case '!_':
        return not(one);
      case '-_':
        return negate(one);
      case '@in':
        return this.#inside(call, one, two);
      default:
        return binaryOperators.get(name)?.(one, two, isAmbiguous(call, this.#plan.types)) ?? null;
    }
  }

  #inside(call: Call, one: Code, all: Code): Code {
    const known = this.#plan.folds ? constantValue(all) : undefined;
    if (!(known instanceof ListValue)) return inside(one, all, isAmbiguous(call, this.#plan.types));
    if (known.length === 0) return constant(false);
    return isOfScalars(known) ? isMember(one, known) : inside(one, all, false);
  }

  #list({ items }: Extract<Expression, { kind: 'list' }>, names: Names): Code {
    const parts = items.map((item) => ({ maybe: item.kind === 'maybe', code: this.code(item, names) }));
    const code: Code = (run) => {
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
    return this.#plan.folds && areConstants(parts.map((part) => part.code)) && !parts.some(({ maybe }) => maybe) ? folded(code) : code;
  }

  #map({ entries }: Extract<Expression, { kind: 'map' }>, names: Names): Code {
    const parts = entries.map(({ key, value }) => ({
      maybe: value.kind === 'maybe' || key.kind === 'maybe',
      key: this.code(key, names),
      value: this.code(value, names),
    }));
    const code: Code = (run) => {
      const made = new Map<string, readonly [Value, Value]>();
      for (const { maybe, key, value } of parts) {
        const wrong = putEntry(made, key(run), value(run), maybe);
        if (wrong !== null) return wrong;
      }
      run.meter.spend(mapCost);
      return new EntryMap(made);
    };
    const all = parts.flatMap(({ key, value }) => [key, value]);
    return this.#plan.folds && areConstants(all) && !parts.some(({ maybe }) => maybe) ? folded(code) : code;
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

/** The reference uses a set for these (`maybeOptimizeSetMembership` of cel-go). */
function isOfScalars(list: ListValue): boolean {
  for (let i = 0; i < list.length; i++) if (!isScalar(list.at(i))) return false;
  return true;
}

const isScalar = (value: Value): boolean =>
  value instanceof UInt || (value !== null && ['boolean', 'bigint', 'number', 'string'].includes(typeof value));
