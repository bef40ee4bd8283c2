import { functions, isOffered, typeNames, type ExtraLibrary, type Overload } from './functions.js';
import { macroOf, type Surroundings } from './macros.js';
import { literalProblems } from './arguments.js';
import { failedConversion } from './constants.js';
import { dottedName, parse, type Call, type Expression } from './parser.js';
import { ParseProblems, type Problem } from './tokens.js';
import { reservedWords } from '../reserved.js';
import {
  accepts,
  bool,
  dyn,
  filled,
  isOpen,
  joined,
  list,
  map,
  optional,
  printed,
  runtimeName,
  sameType,
  unknown,
  type Type,
} from './types.js';

export interface Declarations {
  readonly variables: Readonly<Record<string, Type>>;
  /** Null for an unknown type. A type without known fields accepts any. */
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
      /** What failed. */ readonly stage: 'compilation' | 'program instantiation';
      /** The reference's text: each error with its line and a mark. */ readonly message: string;
    };

/** Further problems of an expression are not reported. */
const problemsMax = 20;

/** Uncertain cases pass; an expression that the reference accepts is never refused. */
export function check(text: string, declarations: Declarations): Checked {
  try {
    const checker = new Checker(declarations);
    const tree = parse(text);
    const type = checker.typeOf(tree, new Map());
    const problems =
      checker.problems.length > 0 ? checker.problems.sort((one, other) => one.at - other.at) : literalProblems(checker.types);
    return problems.length === 0
      ? instantiated(type, tree, checker.types)
      : {
          ok: false,
          stage: 'compilation',
          message: allShown(problems, text),
        };
  } catch (error) {
    if (error instanceof ParseProblems) return { ok: false, stage: 'compilation', message: allShown(error.problems, text) };
    throw error;
  }
}

function instantiated(type: Type, tree: Expression, types: ReadonlyMap<Expression, Type>): Checked {
  const failure = failedConversion(types.keys());
  return failure === null ? { ok: true, type, tree, types } : { ok: false, stage: 'program instantiation', message: failure.message };
}

/** Null unless the types certainly mismatch. */
export function unwanted(type: Type, wanted: readonly Type[]): string | null {
  const fits = wanted.some((one) => type.name !== 'dyn' && accepts(one, type, new Map()) && (type.name !== 'null' || one.name === 'null'));
  if (fits) return null;
  const names = wanted.map(runtimeName);
  return `must evaluate to ${names.length === 1 ? names.join('') : `one of [${names.join(' ')}]`} but got ${runtimeName(type)}`;
}

const allShown = (problems: readonly Problem[], text: string): string =>
  problems
    .slice(0, problemsMax)
    .map((problem) => shown(problem, text))
    .join('\n');

function shown({ at, message }: Problem, text: string): string {
  if (text === '') return `ERROR: <input>:1:0: ${message}`;
  const before = text.slice(0, at).split('\n');
  const column = before.at(-1)?.length ?? 0;
  return `ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${text.split('\n')[before.length - 1] ?? ''}\n | ${'.'.repeat(column)}^`;
}

class Checker implements Surroundings {
  readonly problems: Problem[] = [];
  readonly types = new Map<Expression, Type>();
  readonly #declarations: Declarations;

  constructor(declarations: Declarations) {
    this.#declarations = declarations;
  }

  refuse(at: number, message: string): Type {
    this.problems.push({ at, message });
    return unknown;
  }

  typeOf(expression: Expression, names: ReadonlyMap<string, Type>): Type {
    const type = this.#typeOf(expression, names);
    this.types.set(expression, type);
    return type;
  }

  #typeOf(expression: Expression, names: ReadonlyMap<string, Type>): Type {
    switch (expression.kind) {
      case 'literal':
        return { name: expression.type, of: [] };
      case 'name':
        return this.#named(expression.name, names) ?? this.#undeclared(expression.at, expression.name);
      case 'select':
        return this.#select(expression, names);
      case 'index':
        return this.#index(expression, names);
      case 'call':
        return this.#call(expression, names);
      case 'list':
        return list(this.#common(expression.items, names));
      case 'map':
        return map(
          this.#common(
            expression.entries.map(({ key }) => key),
            names,
          ),
          this.#common(
            expression.entries.map(({ value }) => value),
            names,
          ),
        );
      case 'message':
        return this.#message(expression, names);
      case 'maybe':
        return this.#inner(this.typeOf(expression.of, names));
    }
  }

  #undeclared(at: number, name: string): Type {
    return this.refuse(at, `undeclared reference to '${name}' (in container '')`);
  }

  #named(name: string, names: ReadonlyMap<string, Type>): Type | null {
    const { variables } = this.#declarations;
    return (
      names.get(name) ??
      (Object.hasOwn(variables, name) ? (variables[name] ?? null) : typeNames.has(name) ? { name: 'type', of: [] } : null)
    );
  }

  /** The common type of several values; of none, any. */
  #common(values: readonly Expression[], names: ReadonlyMap<string, Type>): Type {
    const [first = unknown, ...rest] = values.map((value) => this.typeOf(value, names));
    return rest.reduce(joined, first);
  }

  #inner(type: Type): Type {
    return type.name === 'optional_type' ? (type.of[0] ?? unknown) : unknown;
  }

  #select(expression: Extract<Expression, { kind: 'select' }>, names: ReadonlyMap<string, Type>): Type {
    const whole = dottedName(expression);
    if (whole !== null && !names.has(whole.split('.')[0] ?? '') && this.#named(whole, names)) return this.#named(whole, names) ?? unknown;
    const holder = this.typeOf(expression.of, names);
    const wraps = expression.optional || holder.name === 'optional_type';
    const type = this.#field(holder.name === 'optional_type' ? this.#inner(holder) : holder, expression.field, expression.at);
    return wraps && type.name !== 'optional_type' ? optional(type) : type;
  }

  #field(holder: Type, field: string, at: number): Type {
    if (isOpen(holder)) return holder;
    if (holder.name === 'map') return holder.of[1] ?? unknown;
    if (holder.fields) {
      const known = fieldOf(holder.fields, field);
      if (known !== null) return known;
      return holder.open === true ? dyn : this.refuse(at, `undefined field '${field}'`);
    }
    return holder.name.startsWith('Object') ? unknown : this.refuse(at, `type '${printed(holder)}' does not support field selection`);
  }

  #index({ of, key, optional: asks, at }: Extract<Expression, { kind: 'index' }>, names: ReadonlyMap<string, Type>): Type {
    const holder = this.typeOf(of, names);
    const wraps = asks || holder.name === 'optional_type';
    const inner = holder.name === 'optional_type' ? this.#inner(holder) : holder;
    const keyType = this.typeOf(key, names);
    // An index cannot select fields of known objects, but their contents are not inferred here.
    const type = isOpen(inner) ? inner : inner.fields ? unknown : this.#overloads('_[_]', null, [inner, keyType], at);
    return wraps ? optional(type) : type;
  }

  #call(call: Call, names: ReadonlyMap<string, Type>): Type {
    if (call.name === '_||_' || call.name === '_&&_') return this.#logical(call, names);
    const owner = call.target === null ? null : dottedName(call.target);
    const qualified = owner === null ? null : `${owner}.${call.name}`;
    const isThere = qualified === null || isOffered(qualified, this.#declarations.libraries ?? []);
    const macro = isThere ? macroOf(call) : null;
    if (macro) return macro(call, names, this);
    const isQualified = qualified !== null && isThere && functions.has(qualified) && !names.has(owner?.split('.')[0] ?? '');
    const target = call.target === null || isQualified ? null : this.typeOf(call.target, names);
    return this.#overloads(
      isQualified ? qualified : call.name,
      target,
      call.args.map((argument) => this.typeOf(argument, names)),
      call.at,
    );
  }

  #logical({ name, args, at }: Call, names: ReadonlyMap<string, Type>): Type {
    const types = args.map((argument) => this.typeOf(argument, names));
    const wrong = types.some((type) => !isOpen(type) && type.name !== 'bool');
    return wrong ? this.refuse(at, `found no matching overload for '${name}' applied to '(${types.map(printed).join(', ')})'`) : bool;
  }

  #overloads(name: string, target: Type | null, args: readonly Type[], at: number): Type {
    const overloads = functions.get(name);
    if (!overloads) return this.#undeclared(at, name);
    // Either branch may be null, as in annotations that are only sometimes present.
    if (name === '_?_:_' && args.some((one) => one.name === 'null')) return joined(args[1] ?? unknown, args[2] ?? unknown);
    const results = overloads.flatMap((overload) => resultOf(overload, target, args));
    const [first, ...others] = results;
    if (first === undefined)
      return this.refuse(
        at,
        `found no matching overload for '${name}' applied to '${target === null ? '' : `${printed(target)}.`}(${args.map(printed).join(', ')})'`,
      );
    if (others.every((other) => sameType(first, other))) return first;
    // The result is known to be dynamic only where all that it depends on is.
    return [...(target ? [target] : []), ...args].some(({ name: one }) => one === '?') ? unknown : dyn;
  }

  #message({ name, fields, at }: Extract<Expression, { kind: 'message' }>, names: ReadonlyMap<string, Type>): Type {
    const type = this.#declarations.message?.(name) ?? null;
    // The content of an unknown message is not checked, as in cel-go.
    if (type === null) return this.#undeclared(at, name);
    const values = fields.map((field) => ({ ...field, type: this.typeOf(field.value, names) }));
    for (const field of values) {
      if (!type.fields) continue;
      const expected = Object.hasOwn(type.fields, field.name) ? type.fields[field.name] : undefined;
      if (expected === undefined)
        this.refuse(field.at, `expected type of field '${field.name}' is '' but provided type is '${printed(field.type)}'`);
      else if (!accepts(expected, field.type, new Map()))
        this.refuse(
          field.at,
          `expected type of field '${field.name}' is '${printed(expected)}' but provided type is '${printed(field.type)}'`,
        );
    }
    return type;
  }
}

/** A field whose name is a reserved word is found under that word and under its escaped name. */
function fieldOf(fields: Readonly<Record<string, Type>>, name: string): Type | null {
  const found = Object.hasOwn(fields, name) ? name : reservedWords.has(name) ? `__${name}__` : null;
  return found !== null && Object.hasOwn(fields, found) ? (fields[found] ?? unknown) : null;
}

function resultOf(overload: Overload, target: Type | null, args: readonly Type[]): Type[] {
  const bound = new Map<string, Type>();
  if ((overload.target === null) !== (target === null) || overload.args.length !== args.length) return [];
  if (overload.target !== null && target !== null && !accepts(overload.target, target, bound)) return [];
  return overload.args.every((expected, position) => accepts(expected, args[position] ?? bool, bound))
    ? [filled(overload.result, bound)]
    : [];
}
