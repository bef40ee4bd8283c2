import { reservedAccumulators } from '../reserved.js';
import { dottedName, type Call, type Expression } from './parser.js';
import { bool, broken, dyn, int, isOpen, list, map, nullType, printed, type Type } from './types.js';

/** The checker for macros, which bind names within their arguments. */
export interface CheckContext {
  typeOf(expression: Expression, names: Names): Type;
  call(name: string, parts: { readonly target: Type | null; readonly args: readonly Type[]; readonly at: number }): Type;
  /** Returns the type of a member; `at` is the place of errors. */
  member(holder: Expression, field: string, at: number, names: Names): Type;
  /** The types of the parts that were visited. */
  readonly types: Map<Expression, Type>;
  fresh(): Type;
  assigns(type: Type, to: Type): boolean;
  resolved(type: Type): Type;
  refuse(at: number, message: string): Type;
  /** Refuses the expression as one that cannot be parsed. */
  malformed(at: number, message: string): Type;
}

type Names = ReadonlyMap<string, Type>;
type Macro = (call: Call, names: Names, around: CheckContext) => Type;

/** Macros by name and number of arguments; a leading point marks those called on a value. Types are those of the reference's expansions. */
const macros: Readonly<Record<string, Macro>> = {
  'has/1': has,
  ...Object.fromEntries(
    [1, 2].flatMap((variables): [string, Macro][] => [
      [`.all/${variables + 1}`, over(variables, 'argument must be a simple name', decides)],
      [`.exists/${variables + 1}`, over(variables, 'argument must be a simple name', decides)],
      [`.exists_one/${variables + 1}`, over(variables, 'argument must be a simple name', counts)],
      [`.existsOne/${variables + 1}`, over(variables, 'argument must be a simple name', counts)],
    ]),
  ),
  '.filter/2': over(1, 'argument is not an identifier', filters),
  '.map/2': over(1, 'argument is not an identifier', collects),
  '.map/3': over(1, 'argument is not an identifier', collects),
  '.transformList/3': over(2, 'argument must be a simple name', collects),
  '.transformList/4': over(2, 'argument must be a simple name', collects),
  '.transformMap/3': over(2, 'argument must be a simple name', inserts(true)),
  '.transformMap/4': over(2, 'argument must be a simple name', inserts(true)),
  '.transformMapEntry/3': over(2, 'argument must be a simple name', inserts(false)),
  '.transformMapEntry/4': over(2, 'argument must be a simple name', inserts(false)),
  '.optMap/2': ofOptional(true),
  '.optFlatMap/2': ofOptional(false),
  '.sortBy/2': sortBy,
  'cel.bind/3': bind,
};

const missing: Expression = { kind: 'literal', type: 'null', text: 'null', at: 0 };

export function macroOf(call: Call): Macro | null {
  const before = call.target === null ? '' : dottedName(call.target) === 'cel' && call.name === 'bind' ? 'cel.' : '.';
  const key = `${before}${call.name}/${call.args.length}`;
  return Object.hasOwn(macros, key) ? (macros[key] ?? null) : null;
}

function has({ args: [argument], at }: Call, names: Names, around: CheckContext): Type {
  if (argument?.kind !== 'select' || argument.optional) return around.malformed(argument?.at ?? at, 'invalid argument to has() macro');
  // The expansion has the position of the macro (`NewPresenceTest` of cel-go).
  around.member(argument.of, argument.field, at, names);
  around.types.set(argument, bool);
  return bool;
}

/** The results of a loop: before the first round, after each, and in the end. */
interface Loop {
  readonly start: Type;
  step(made: Type): Type;
  end?(made: Type): Type;
}

interface Bodies {
  readonly call: Call;
  readonly around: CheckContext;
  readonly bodies: readonly Expression[];
  typeOf(body: Expression | undefined): Type;
}
type LoopOf = (around: CheckContext) => {
  readonly start: Type;
  step(made: Type, bodies: Bodies): Type;
  end?(made: Type, bodies: Bodies): Type;
};

function over(variables: number, problem: string, loopOf: LoopOf): Macro {
  return (call, names, around) => {
    const named = call.args.slice(0, variables);
    const wrong = wrongName(named, problem);
    if (wrong !== null) return around.malformed(wrong.at, wrong.message);
    const range = call.target ?? missing;
    const type = around.typeOf(range, names);
    const { start, step, end } = loopOf(around);
    const parts = partsOf(around.resolved(type), variables, range.at, around);
    const within = new Map([...names, ...parts.map((part, position): [string, Type] => [nameOf(named[position]), part])]);
    const bodies: Bodies = {
      call,
      around,
      bodies: call.args.slice(variables),
      typeOf: (body) => around.typeOf(body ?? missing, within),
    };
    return loop(
      { start, step: (made) => step(made, bodies), ...(end === undefined ? {} : { end: (made) => end(made, bodies) }) },
      call.at,
      around,
    );
  };
}

function loop({ start, step, end }: Loop, at: number, around: CheckContext): Type {
  const made = step(start);
  if (!around.assigns(made, start)) around.refuse(at, `expected type '${printed(start)}' but found '${printed(made)}'`);
  return around.resolved(end === undefined ? start : end(start));
}

const nameOf = (expression: Expression | undefined): string => (expression?.kind === 'name' ? expression.name : '');

function wrongName(named: readonly Expression[], problem: string): { readonly at: number; readonly message: string } | null {
  const unnamed = named.find(({ kind }) => kind !== 'name');
  if (unnamed !== undefined) return { at: unnamed.at, message: problem };
  const [first, second] = named;
  if (second !== undefined && nameOf(first) === nameOf(second))
    return { at: second.at, message: `duplicate variable name: ${nameOf(first)}` };
  const taken = named.find((one) => reservedAccumulators.has(nameOf(one)));
  return taken === undefined ? null : { at: taken.at, message: 'iteration variable overwrites accumulator variable' };
}

function partsOf(range: Type, variables: number, at: number, around: CheckContext): readonly Type[] {
  const [first = dyn, second = dyn] = range.of;
  if (range.name === 'list') return variables === 1 ? [first] : [int, first];
  if (range.name === 'map') return [first, second].slice(0, variables);
  const both = isOpen(range) || range.variable ? dyn : broken;
  if (both === dyn) around.assigns(dyn, range);
  else around.refuse(at, `expression of type '${printed(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`);
  return [both, both].slice(0, variables);
}

/** `made && body`, `made || body`. */
function decides(): ReturnType<LoopOf> {
  return {
    start: bool,
    step: (_, { bodies: [body], typeOf, around }) => {
      const type = typeOf(body);
      if (around.assigns(type, bool)) return bool;
      return around.refuse(body?.at ?? 0, `expected type 'bool' but found '${printed(type)}'`);
    },
  };
}

/** `body ? made + 1 : made`, and in the end `made == 1`. */
function counts(): ReturnType<LoopOf> {
  return {
    start: int,
    step: (made, { bodies: [body], typeOf, around, call: { at } }) => {
      const condition = typeOf(body);
      const more = around.call('_+_', { target: null, args: [made, int], at });
      return around.call('_?_:_', { target: null, args: [condition, more, made], at });
    },
    end: (made, { around, call: { at } }) => around.call('_==_', { target: null, args: [made, int], at }),
  };
}

/** Computes `condition ? made with one more : made`; without a condition, `made with one more`. */
function chosen(made: Type, { call: { at }, around, bodies, typeOf }: Bodies, more: (body: Expression | undefined) => Type): Type {
  if (bodies.length === 1) return more(bodies[0]);
  const condition = typeOf(bodies[0]);
  return around.call('_?_:_', { target: null, args: [condition, more(bodies[1]), made], at });
}

/** `made + [body]`. */
function collects(around: CheckContext): ReturnType<LoopOf> {
  return {
    start: list(around.fresh()),
    step: (made, bodies) =>
      chosen(made, bodies, (body) => around.call('_+_', { target: null, args: [made, list(bodies.typeOf(body))], at: bodies.call.at })),
  };
}

/** `condition ? made + [x] : made`. */
function filters(around: CheckContext): ReturnType<LoopOf> {
  return {
    start: list(around.fresh()),
    step: (made, { call: { args, at }, typeOf, bodies: [condition] }) => {
      const kept = typeOf(condition);
      const more = around.call('_+_', { target: null, args: [made, list(typeOf(args[0]))], at });
      return around.call('_?_:_', { target: null, args: [kept, more, made], at });
    },
  };
}

/** `cel.@mapInsert(made, key, body)`, or without the key. */
function inserts(keyed: boolean): LoopOf {
  return (around) => ({
    start: map(around.fresh(), around.fresh()),
    step: (made, bodies) =>
      chosen(made, bodies, (body) => {
        const { call, typeOf } = bodies;
        const args = [made, ...(keyed ? [typeOf(call.args[0])] : []), typeOf(body)];
        return around.call('cel.@mapInsert', { target: null, args, at: call.at });
      }),
  });
}

/** The reference binds a name by a loop over an empty list. */
function bound(name: string, value: () => Type, { body, names, around }: Binding): Type {
  around.fresh();
  const type = value();
  return around.resolved(body(new Map([...names, [name, type]])));
}

interface Binding {
  readonly names: Names;
  readonly around: CheckContext;
  body(within: Names): Type;
}

function bind({ args: [name, value, body] }: Call, names: Names, around: CheckContext): Type {
  if (name?.kind !== 'name') return around.malformed(name?.at ?? 0, 'cel.bind() variable names must be simple identifiers');
  return bound(name.name, () => around.typeOf(value ?? missing, names), {
    names,
    around,
    body: (within) => around.typeOf(body ?? missing, within),
  });
}

/** `o.hasValue() ? optional.of(cel.bind(x, o.value(), body)) : optional.none()`. */
function ofOptional(wraps: boolean): Macro {
  return ({ target, args: [name, body], at, name: macro }, names, around) => {
    if (name?.kind !== 'name') return around.malformed(name?.at ?? at, `${macro}() variable name must be a simple identifier`);
    const onTarget = (method: string): Type => around.call(method, { target: around.typeOf(target ?? missing, names), args: [], at });
    const condition = onTarget('hasValue');
    const made = bound(name.name, () => onTarget('value'), { names, around, body: (within) => around.typeOf(body ?? missing, within) });
    const yes = wraps ? around.call('optional.of', { target: null, args: [made], at }) : made;
    const no = around.call('optional.none', { target: null, args: [], at });
    return around.call('_?_:_', { target: null, args: [condition, yes, no], at });
  };
}

const sortable: ReadonlySet<Expression['kind']> = new Set(['list', 'select', 'name', 'call', 'index']);

/** `cel.bind(y, list, y.@sortByAssociatedKeys(y.map(x, key)))`. */
function sortBy(call: Call, names: Names, around: CheckContext): Type {
  const target = call.target ?? missing;
  if (!sortable.has(target.kind))
    return around.malformed(target.at, 'sortBy can only be applied to a list, identifier, comprehension, call or select expression');
  const input: Expression = { kind: 'name', name: '@input', at: call.at };
  const keys = macros['.map/2'];
  return bound('@input', () => around.typeOf(target, names), {
    names,
    around,
    body: (within) => {
      const args = [keys?.({ ...call, target: input }, within, around) ?? nullType];
      return around.call('@sortByAssociatedKeys', { target: around.typeOf(input, within), args, at: call.at });
    },
  });
}
