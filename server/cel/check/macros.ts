import { dottedName, type Call, type Expression } from './parser.js';
import { bool, isOpen, list, map, optional, printed, unknown, type Type } from './types.js';

/** The checker as macros see it, which name values within their arguments. */
export interface Surroundings {
  typeOf(expression: Expression, names: ReadonlyMap<string, Type>): Type;
  refuse(at: number, message: string): Type;
}

type Macro = (call: Call, names: ReadonlyMap<string, Type>, around: Surroundings) => Type;

/** Macros by name and number of arguments; a leading point marks those called on a value. */
const macros: Readonly<Record<string, Macro>> = {
  'has/1': has,
  '.all/2': over(1, () => bool),
  '.exists/2': over(1, () => bool),
  '.exists_one/2': over(1, () => bool),
  '.existsOne/2': over(1, () => bool),
  '.all/3': over(2, () => bool),
  '.exists/3': over(2, () => bool),
  '.exists_one/3': over(2, () => bool),
  '.existsOne/3': over(2, () => bool),
  '.filter/2': over(1, (_, elements) => list(elements)),
  '.map/2': over(1, list),
  '.map/3': over(1, list),
  '.transformList/3': over(2, list),
  '.transformList/4': over(2, list),
  '.transformMap/3': over(2, (result, _, keys) => map(keys, result)),
  '.transformMap/4': over(2, (result, _, keys) => map(keys, result)),
  '.transformMapEntry/3': over(2, (result) => result),
  '.transformMapEntry/4': over(2, (result) => result),
  '.optMap/2': ofOptional((result) => optional(result)),
  '.optFlatMap/2': ofOptional((result) => result),
  '.sortBy/2': sortBy,
  'cel.bind/3': ({ args: [name, value, body] }, names, around) =>
    around.typeOf(body ?? missing, new Map([...names, [nameOf(name, around), around.typeOf(value ?? missing, names)]])),
};

const missing: Expression = { kind: 'literal', type: 'null', text: 'null', at: 0 };

export function macroOf(call: Call): Macro | null {
  const before = call.target === null ? '' : dottedName(call.target) === 'cel' ? 'cel.' : '.';
  const key = `${before}${call.name}/${call.args.length}`;
  return Object.hasOwn(macros, key) ? (macros[key] ?? null) : null;
}

function nameOf(expression: Expression | undefined, around: Surroundings): string {
  if (expression?.kind === 'name') return expression.name;
  around.refuse(expression?.at ?? 0, 'argument must be a simple name');
  return '';
}

function has({ args: [argument], at }: Call, names: ReadonlyMap<string, Type>, around: Surroundings): Type {
  if (argument?.kind !== 'select') return around.refuse(argument?.at ?? at, 'invalid argument to has() macro');
  // The expansion has the position of the macro (`NewPresenceTest` of cel-go).
  around.typeOf({ ...argument, at }, names);
  return bool;
}

function sortBy(call: Call, names: ReadonlyMap<string, Type>, around: Surroundings): Type {
  over(1, list)(call, names, around);
  return around.typeOf(call.target ?? missing, names);
}

/** Iterates over a list or map, with one or two variables. */
function over(variables: 1 | 2, result: (last: Type, first: Type, keys: Type) => Type): Macro {
  return ({ target, args, at }, names, around) => {
    const range = around.typeOf(target ?? missing, names);
    if (!isOpen(range) && range.name !== 'list' && range.name !== 'map') {
      return around.refuse(
        target?.at ?? at,
        `expression of type '${printed(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
      );
    }
    const parts = partsOf(range, variables);
    const within = new Map([...names, ...parts.map((part, position): [string, Type] => [nameOf(args[position], around), part])]);
    const types = args.slice(variables).map((argument) => around.typeOf(argument, within));
    const condition = types.length > 1 || result(unknown, unknown, unknown).name === 'bool' ? types[0] : undefined;
    if (condition && !isOpen(condition) && condition.name !== 'bool')
      return around.refuse(args[variables]?.at ?? at, `expected type 'bool' but found '${printed(condition)}'`);
    return result(types.at(-1) ?? unknown, parts[0] ?? unknown, parts[0] ?? unknown);
  };
}

function partsOf(range: Type, variables: 1 | 2): readonly Type[] {
  if (isOpen(range)) return [range, range].slice(0, variables);
  const [first = unknown, second = unknown] = range.of;
  if (variables === 1) return [first];
  return range.name === 'list' ? [{ name: 'int', of: [] }, first] : [first, second];
}

function ofOptional(result: (inner: Type) => Type): Macro {
  return ({ target, args: [name, body] }, names, around) => {
    const [inner = unknown] = around.typeOf(target ?? missing, names).of;
    return result(around.typeOf(body ?? missing, new Map([...names, [nameOf(name, around), inner]])));
  };
}
