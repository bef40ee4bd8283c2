import { functions, isOffered, opaqueObjects, typeNames, type ExtraLibrary, type Overload } from './functions.js';
import { macroOf, type CheckContext } from './macros.js';
import { literalProblems } from './arguments.js';
import { failedConstant } from './constants.js';
import { dottedName, parse, type Call, type Expression } from './parser.js';
import { ParseProblems, type Problem } from './tokens.js';
import { literalValue } from '../eval/literals.js';
import { Failure } from '../eval/values.js';
import { reservedWords } from '../reserved.js';
import {
  bool,
  broken,
  dyn,
  isDyn,
  isNoMoreSpecific,
  isOpen,
  list,
  map,
  optional,
  printed,
  runtimeName,
  sameType,
  typeType,
  type Type,
} from './types.js';
import { Unifier } from './unifier.js';

export interface Declarations {
  readonly variables: Readonly<Record<string, Type>>;
  /** Returns null for an unknown type. A type without known fields accepts any. */
  readonly message?: (name: string) => Type | null;
  /** Libraries beyond the common ones. */
  readonly libraries?: readonly ExtraLibrary[];
}

export type Checked =
  | {
      readonly ok: true;
      readonly type: Type;
      readonly tree: Expression;
      readonly types: ReadonlyMap<Expression, Type>;
    }
  | {
      readonly ok: false;
      readonly stage: 'compilation' | 'conversion' | 'program instantiation';
      /** The type of an expression without a program. */ readonly type: Type;
      /** The reference's text: each error with its line and a mark. */ readonly message: string;
    };

/** Further problems of an expression are not reported. */
const problemsMax = 100;

/** Accepts the same as the reference, by the steps of cel-go's `checker/checker.go`. */
export function check(text: string, declarations: Declarations): Checked {
  try {
    const checker = new Checker(declarations);
    const tree = parse(text);
    const type = checker.whole(tree);
    if (checker.unparsed.length > 0) return refused(inOrder(checker.unparsed), text);
    const problems = checker.problems.length > 0 ? inOrder(checker.problems) : literalProblems(tree, checker.types);
    if (problems.length > 0) return refused(problems, text);
    if (checker.takesUndeclared) return { ok: false, stage: 'conversion', type, message: 'missing type conversion to proto: ' };
    return instantiated(type, tree, checker.types);
  } catch (error) {
    if (error instanceof ParseProblems) return refused(error.problems, text);
    throw error;
  }
}

const inOrder = (problems: readonly Problem[]): Problem[] => problems.toSorted((one, other) => one.at - other.at);

const refused = (problems: readonly Problem[], text: string): Checked => ({
  ok: false,
  stage: 'compilation',
  type: broken,
  message: allShown(problems, text),
});

function instantiated(type: Type, tree: Expression, types: ReadonlyMap<Expression, Type>): Checked {
  const failure = failedConstant(tree, types);
  return failure === null ? { ok: true, type, tree, types } : { ok: false, stage: 'program instantiation', type, message: failure.message };
}

/** Returns null for a wanted type; otherwise the error, which precedes those of programs. */
export function unwanted(type: Type, wanted: readonly Type[]): string | null {
  if (wanted.some((one) => sameType(one, type))) return null;
  const names = wanted.map(runtimeName);
  return `must evaluate to ${names.length === 1 ? names.join('') : `one of [${names.join(' ')}]`} but got ${runtimeName(type)}`;
}

function allShown(problems: readonly Problem[], text: string): string {
  const lines = problems.slice(0, problemsMax).map((problem) => shown(problem, text));
  const more = problems.length - lines.length;
  return [...lines, ...(more > 0 ? [`${more} more errors were truncated`] : [])].join('\n');
}

/** Longer lines are not shown. */
const shownBytesMax = 16_384;
/** Characters with several UTF-8 bytes have wide marks below them. */
const isWide = (text: string): boolean => text.charCodeAt(0) > 0x7f;

function shown({ at, message }: Problem, text: string): string {
  if (text === '') return `ERROR: <input>:1:0: ${message}`;
  const before = text.slice(0, at).split('\n');
  const characters = [...(before.at(-1) ?? '')];
  const line = (text.split('\n')[before.length - 1] ?? '').replaceAll('\t', ' ');
  const place = `ERROR: <input>:${before.length}:${characters.length + 1}: ${message}`;
  if (Buffer.byteLength(line) > shownBytesMax) return place;
  const mark = isWide(text.slice(at)) ? '＾' : '^';
  return `${place}\n | ${line}\n | ${characters.map((one) => (isWide(one) ? '．' : '.')).join('')}${mark}`;
}

type Names = ReadonlyMap<string, Type>;

class Checker implements CheckContext {
  readonly problems: Problem[] = [];
  takesUndeclared = false;
  /** The reference finds these while it parses. */
  readonly unparsed: Problem[] = [];
  readonly types = new Map<Expression, Type>();
  readonly #declarations: Declarations;
  readonly #unifier = new Unifier();

  constructor(declarations: Declarations) {
    this.#declarations = declarations;
  }

  /** Returns the type of the whole expression, after which its parts' types are known. */
  whole(tree: Expression): Type {
    this.typeOf(tree, new Map());
    for (const [expression, type] of this.types) this.types.set(expression, this.#unifier.resolved(type, true));
    return this.types.get(tree) ?? broken;
  }

  refuse(at: number, message: string): Type {
    this.problems.push({ at, message });
    return broken;
  }

  malformed(at: number, message: string): Type {
    this.unparsed.push({ at, message });
    return broken;
  }

  fresh(): Type {
    return this.#unifier.fresh();
  }

  assigns(type: Type, to: Type): boolean {
    return this.#unifier.assigns([type], [to]);
  }

  resolved(type: Type): Type {
    return this.#unifier.resolved(type);
  }

  typeOf(expression: Expression, names: Names): Type {
    const type = this.#typeOf(expression, names);
    this.types.set(expression, type);
    return type;
  }

  #typeOf(expression: Expression, names: Names): Type {
    switch (expression.kind) {
      case 'literal':
        return this.#literal(expression);
      case 'name':
        return this.#named(expression.name, names) ?? this.#undeclared(expression.at, expression.name);
      case 'select':
        return this.#select(expression, names);
      case 'index':
        return this.#index(expression, names);
      case 'call':
        return this.#call(expression, names);
      case 'list':
        return list(this.#joined(expression.items, names) ?? this.fresh());
      case 'map':
        return this.#map(expression, names);
      case 'message':
        return this.#message(expression, names);
      case 'maybe':
        return this.#unwrapped(expression, this.typeOf(expression.of, names));
    }
  }

  #literal(literal: Extract<Expression, { kind: 'literal' }>): Type {
    const { at, type } = literal;
    const value = literalValue(literal);
    if (value instanceof Failure) this.malformed(at, type === 'string' || type === 'bytes' ? value.message : `invalid ${type} literal`);
    return { name: type, of: [] };
  }

  #undeclared(at: number, name: string): Type {
    return this.refuse(at, `undeclared reference to '${name}' (in container '')`);
  }

  #named(name: string, names: Names): Type | null {
    const { variables } = this.#declarations;
    const known = names.get(name) ?? (Object.hasOwn(variables, name) ? variables[name] : undefined);
    if (known !== undefined) return known;
    const ofType = typeNames.get(name);
    return ofType === undefined ? null : typeType(ofType);
  }

  #unwrapped({ at }: Expression, type: Type): Type {
    if (type.name === 'optional_type') return type.of[0] ?? dyn;
    if (!isDyn(type)) this.refuse(at, mismatch(optional(type), type));
    return type;
  }

  /** Null where there are no values. */
  #joined(values: readonly Expression[], names: Names): Type | null {
    let common: Type | null = null;
    for (const value of values) common = this.#join(common, this.typeOf(value, names));
    return common;
  }

  #join(before: Type | null, type: Type): Type {
    if (before === null) return type;
    return this.assigns(before, type) ? (isNoMoreSpecific(before, type) ? before : type) : dyn;
  }

  #map({ entries }: Extract<Expression, { kind: 'map' }>, names: Names): Type {
    let [keys, values]: (Type | null)[] = [null, null];
    for (const { key, value } of entries) {
      keys = this.#join(keys ?? null, this.typeOf(key, names));
      values = this.#join(values ?? null, this.typeOf(value, names));
    }
    return map(keys ?? this.fresh(), values ?? this.fresh());
  }

  #select(expression: Extract<Expression, { kind: 'select' }>, names: Names): Type {
    const whole = dottedName(expression);
    const known = whole !== null && !names.has(whole.split('.')[0] ?? '') ? this.#named(whole, names) : null;
    if (known !== null) return known;
    const type = this.member(expression.of, expression.field, expression.at, names);
    return expression.optional && !this.#isOptional(expression.of) ? optional(type) : type;
  }

  #isOptional(expression: Expression): boolean {
    return this.resolved(this.types.get(expression) ?? dyn).name === 'optional_type';
  }

  member(holder: Expression, field: string, at: number, names: Names): Type {
    const type = this.resolved(this.typeOf(holder, names));
    if (type.name !== 'optional_type') return this.resolved(this.#field(type, field, at));
    return optional(this.resolved(this.#field(type.of[0] ?? dyn, field, at)));
  }

  #field(holder: Type, field: string, at: number): Type {
    if (holder.name === 'map') return holder.of[1] ?? dyn;
    if (holder.fields) {
      const known = fieldOf(holder.fields, field);
      if (known !== null) return known;
      return holder.open === true ? dyn : this.refuse(at, `undefined field '${field}'`);
    }
    if (opaqueObjects.has(holder.name)) return this.refuse(at, `unexpected failed resolution of '${holder.name}'`);
    if (holder.variable) this.assigns(dyn, holder);
    else if (!isOpen(holder)) this.refuse(at, `type '${printed(holder)}' does not support field selection`);
    return dyn;
  }

  #index({ of, key, optional: asks, at }: Extract<Expression, { kind: 'index' }>, names: Names): Type {
    const args = [this.typeOf(of, names), this.typeOf(key, names)];
    return this.call(asks ? '_[?_]' : '_[_]', { target: null, args, at });
  }

  #call(call: Call, names: Names): Type {
    const { name, target, args, at } = call;
    const owner = target === null ? null : dottedName(target);
    const qualified = owner === null ? null : `${owner}.${name}`;
    const isThere = qualified === null || isOffered(qualified, this.#declarations.libraries ?? []);
    const macro = isThere ? macroOf(call) : null;
    if (macro) return macro(call, names, this);
    const types = args.map((argument) => this.typeOf(argument, names));
    if (name === '_||_' || name === '_&&_') return this.#logical(args, types);
    const isQualified = qualified !== null && isThere && functions.has(qualified) && !names.has(owner?.split('.')[0] ?? '');
    const on = target === null || isQualified ? null : this.typeOf(target, names);
    return this.call(isQualified ? qualified : name, { target: on, args: types, at });
  }

  #logical(args: readonly Expression[], types: readonly Type[]): Type {
    let type = bool;
    for (const [position, one] of types.entries())
      if (!this.assigns(one, bool)) type = this.refuse(args[position]?.at ?? 0, mismatch(bool, one));
    return type;
  }

  call(name: string, { target, args, at }: { readonly target: Type | null; readonly args: readonly Type[]; readonly at: number }): Type {
    const overloads = functions.get(name);
    if (!overloads) return this.#undeclared(at, name);
    const types = target === null ? args : [target, ...args];
    let result: Type | null = null;
    for (const overload of overloads) {
      if ((overload.target === null) !== (target === null)) continue;
      const found = this.#resultOf(overload, types);
      if (found === null) continue;
      if (result === null) result = found;
      else if (!isDyn(result) && !sameType(result, found)) result = dyn;
    }
    return result ?? this.#noOverload(name, { target, types, at });
  }

  /** Null where the arguments do not fit. */
  #resultOf(overload: Overload, types: readonly Type[]): Type | null {
    const fresh = new Map(overload.parameters.map((name): [string, Type] => [name, this.fresh()]));
    const wanted = (overload.target === null ? overload.args : [overload.target, ...overload.args]).map((type) => filled(type, fresh));
    return this.#unifier.assigns(types, wanted) ? this.resolved(filled(overload.result, fresh)) : null;
  }

  #noOverload(
    name: string,
    { target, types, at }: { readonly target: Type | null; readonly types: readonly Type[]; readonly at: number },
  ): Type {
    const shown = types.map((type) => printed(this.#unifier.resolved(type, true)));
    const applied = target === null ? `(${shown.join(', ')})` : `${shown[0] ?? ''}.(${shown.slice(1).join(', ')})`;
    return this.refuse(at, `found no matching overload for '${name}' applied to '${applied}'`);
  }

  #message({ name, fields, at }: Extract<Expression, { kind: 'message' }>, names: Names): Type {
    const type = this.#declarations.message?.(name) ?? null;
    // An unknown message's content is not checked, as in cel-go.
    if (type === null) return this.#undeclared(at, name);
    for (const field of fields) {
      const given = this.typeOf(field.value, names);
      if (type.open === true || type.fields === undefined) continue;
      const expected = Object.hasOwn(type.fields, field.name) ? type.fields[field.name] : undefined;
      if (expected === undefined ? isOpen(given) : this.assigns(expected, given)) continue;
      if (expected === undefined && this.resolved(given).variable) {
        this.takesUndeclared = true;
        continue;
      }
      const wanted = expected === undefined ? '' : printed(expected);
      this.refuse(field.at, `expected type of field '${field.name}' is '${wanted}' but provided type is '${printed(given)}'`);
    }
    return type;
  }
}

const mismatch = (wanted: Type, found: Type): string => `expected type '${printed(wanted)}' but found '${printed(found)}'`;

function filled(type: Type, by: ReadonlyMap<string, Type>): Type {
  if (type.variable) return by.get(type.name) ?? type;
  return type.of.length === 0 ? type : { ...type, of: type.of.map((part) => filled(part, by)) };
}

/** A field named by a reserved word has this name and its escaped one. */
function fieldOf(fields: Readonly<Record<string, Type>>, name: string): Type | null {
  const found = Object.hasOwn(fields, name) ? name : reservedWords.has(name) ? `__${name}__` : null;
  return found !== null && Object.hasOwn(fields, found) ? (fields[found] ?? dyn) : null;
}
