import { typeNamed, type ApiType, type Scalar, type Shape } from '../../api/catalogue/types.js';
import { countMembers } from '../codecs/json.js';
import type { ValuePath } from '../../api/json/valuePath.js';
import type { MemberOrder } from '../codecs/jsonReader.js';
import type { Steps } from '../../api/steps.js';
import { isMembers, type Json, type JsonMembers } from '../codecs/value.js';
import { CheckContext, StructureError, type Numbers } from './context.js';
import type { GoKind } from './restored.js';
import {
  leaves,
  booleanChecker,
  bytesChecker,
  doubleChecker,
  int32Checker,
  int64Checker,
  namedText,
  stringChecker,
  type Checker,
} from './leaves.js';
import { memberOf } from './members.js';
import type { TextType } from './textTypes.js';
import { straightLine, type ObjectCheck } from './straightLine.js';

export interface StructureOptions {
  /** Unknown and duplicate fields are dropped either way. */
  readonly unknownFields: 'ignore' | 'report';
  /** The careful reader's record of repeated members. */
  readonly order?: MemberOrder | undefined;
  readonly numbers?: Numbers;
}

export type StructureResult =
  | {
      readonly ok: true;
      /** The object as the reference prints it: no unknown members, nulls and zero values only as there, times and quantities in canonical form. */
      readonly value: JsonMembers;
      /** `unknown field "spec.foo"` or `duplicate field "spec.foo"`, in text order; at most 100. */
      readonly strict: readonly string[];
      /** Quantities, empty lists and empty maps within lists that the stored form spells differently; at most 1,000. */
      readonly respelled: readonly ValuePath[];
      /** Includes unknown members; if the text has more, some are repeated. */
      readonly members: number;
    }
  | {
      readonly ok: false;
      /** `json: cannot unmarshal ...`, or an error about a quantity, time or base64 text. */ readonly message: string;
    };

/** Checks a value and converts it to its stored form, in place where possible: the caller gives up the value. */
export const checkStructure = (value: JsonMembers, type: ApiType, options: StructureOptions): StructureResult => {
  const context = new CheckContext(options.unknownFields === 'report', options.order, Infinity, options.numbers);
  try {
    return resultOf(checkedWith(context, value, type), context);
  } catch (error) {
    return failureOf(error);
  }
};

const stepValues = 1_000;

/** Works in steps, for large values. A list or map with more than `most` values is checked item by item, after the rest. */
export function* structureSteps(value: JsonMembers, type: ApiType, options: StructureOptions, most = stepValues): Steps<StructureResult> {
  const context = new CheckContext(options.unknownFields === 'report', options.order, most, options.numbers);
  try {
    const checked = yield* context.completed(function* () {
      return checkedWith(context, value, type);
    });
    return resultOf(checked, context);
  } catch (error) {
    return failureOf(error);
  }
}

function checkedWith(context: CheckContext, value: JsonMembers, type: ApiType): JsonMembers {
  nameEmptyOwners(value);
  return objectChecker(type.name).check(value, context) as JsonMembers;
}

const resultOf = (value: JsonMembers, { problem, strict, respelled, members }: CheckContext): StructureResult =>
  problem === undefined ? { ok: true, value, strict, respelled, members } : { ok: false, message: problem };

function failureOf(error: unknown): StructureResult {
  if (error instanceof StructureError) return { ok: false, message: error.message };
  throw error;
}

/** Unlike an absent list, an empty list of owners means that nothing is owned any more. A single empty entry means the same, and is preserved. */
function nameEmptyOwners({ metadata }: JsonMembers): void {
  if (!isMembers(metadata)) return;
  const { managedFields } = metadata;
  if (Array.isArray(managedFields) && managedFields.length === 0) managedFields.push({});
}

const scalars: Readonly<Record<Scalar, Checker>> = {
  string: stringChecker,
  bytes: bytesChecker,
  int32: int32Checker,
  int64: int64Checker,
  double: doubleChecker,
  boolean: booleanChecker,
};
const built = new Map<string, Checker>();

/** Returns the checker of a named type. Types form cycles, so members resolve theirs lazily. */
const objectChecker = (name: string): Checker => {
  let checker = built.get(name);
  if (checker === undefined) {
    checker = (Object.hasOwn(leaves, name) ? leaves[name] : undefined) ?? schemaOr(name) ?? new ObjectChecker(name);
    built.set(name, checker);
  }
  return checker;
};

const checkerOf = (shape: Shape): Checker => {
  if (shape.is === 'scalar') return scalars[shape.scalar];
  if (shape.is === 'type') return objectChecker(shape.name);
  return shape.is === 'list' ? listChecker(shape.items) : mapChecker(shape.values);
};

/** Returns package and type: `v1.PodSpec` for `core.v1.PodSpec`. */
const goNameOf = (name: string): string => name.split('.').slice(-2).join('.');

class ObjectChecker implements Checker {
  readonly #name: string;
  readonly goType: string;
  #made: ObjectCheck | undefined;

  constructor(name: string) {
    this.#name = name;
    this.goType = goNameOf(name);
  }

  zero(): JsonMembers {
    return this.#checked({}, nothingToFind);
  }

  check(value: Json, context: CheckContext): Json {
    if (isMembers(value)) return this.#checked(value, context);
    wrongShape(value, context, { type: this.goType, kind: 'struct' }, null);
    return this.zero();
  }

  get #checked(): ObjectCheck {
    return (this.#made ??= straightLine(
      [...(typeNamed(this.#name)?.fields?.values() ?? [])].map((field) => memberOf(field, this.#name, textCheckerOf)),
    ));
  }
}

const nothingToFind = new CheckContext(false, undefined);

const textCheckerOf = (shape: Shape, textType: TextType | undefined): Checker => {
  if (textType === undefined) return checkerOf(shape);
  const text = textType.text === '' ? undefined : namedText(textType.text);
  if (shape.is === 'list') return listChecker(shape.items, text);
  if (shape.is === 'map') return mapChecker(shape.values, { key: textType.key ?? 'string', value: text });
  return text ?? checkerOf(shape);
};

const listChecker = (items: Shape, item?: Checker, name?: string): Checker => {
  const goType = name ?? `[]${(item ?? checkerOf(items)).goType}`;
  return {
    goType,
    zero: () => null,
    check: (value, context) => {
      if (!Array.isArray(value)) return wrongShape(value, context, { type: goType, kind: 'slice' }, []);
      const checker = item ?? checkerOf(items);
      if (context.postpones(value)) return context.postpone(value, (own) => itemSteps(value, { checker, item }, own));
      for (let index = 0; index < value.length; index++) checkItem(value, index, { checker, item }, context);
      return value;
    },
  };
};

interface ItemCheckers {
  readonly checker: Checker;
  readonly item: Checker | undefined;
}

function checkItem(list: Json[], index: number, { checker, item }: ItemCheckers, context: CheckContext): void {
  const before = list[index] as Json;
  if (typeof before === 'string' && (checker === stringChecker || checker === item)) return;
  context.enter(index);
  const after = before === null ? checker.zero() : checker.check(before, context);
  context.leave();
  if (after !== before) list[index] = after;
}

const stepItems = 32;

function* itemSteps(list: Json[], checkers: ItemCheckers, context: CheckContext): Steps<void> {
  for (let index = 0; index < list.length; index++) {
    checkItem(list, index, checkers, context);
    if (index % stepItems === 0) yield;
  }
}

const valueChecker = (values: Shape): Checker =>
  values.is === 'list' ? listChecker(values.items, undefined, 'v1.ExtraValue') : checkerOf(values);

interface MapTypes {
  readonly key: string;
  readonly value: Checker | undefined;
}

const mapChecker = (values: Shape, types?: MapTypes): Checker => {
  const element = (types?.value ?? valueChecker(values)).goType;
  const goType = types === undefined && element === 'resource.Quantity' ? 'v1.ResourceList' : `map[${types?.key ?? 'string'}]${element}`;
  return {
    goType,
    zero: () => null,
    check: (value, context) => {
      if (!isMembers(value)) return wrongShape(value, context, { type: goType, kind: 'map' }, {});
      const checker = types?.value ?? valueChecker(values);
      if (context.postpones(value)) return context.postpone(value, (own) => valueSteps(value, checker, own));
      reportDuplicates(value, context);
      for (const name in value) checkValue(value, name, checker, context);
      return value;
    },
  };
};

function checkValue(map: JsonMembers, name: string, checker: Checker, context: CheckContext): void {
  context.members++;
  const before = map[name] as Json;
  if (typeof before === 'string' && checker === stringChecker) return;
  context.enter(name);
  const after = before === null ? checker.zero() : checker.check(before, context);
  context.leave();
  if (after !== before) map[name] = after;
}

function* valueSteps(map: JsonMembers, checker: Checker, context: CheckContext): Steps<void> {
  reportDuplicates(map, context);
  let count = 0;
  for (const name in map) {
    checkValue(map, name, checker, context);
    if (++count % stepItems === 0) yield;
  }
}

const reportDuplicates = (value: JsonMembers, context: CheckContext): void => {
  for (const text of context.order?.get(value) ?? []) {
    const seen = new Set<string>();
    for (const name of text) {
      if (seen.has(name)) context.reportDuplicate(name);
      seen.add(name);
    }
  }
};

const wrongShape = <T extends Json>(
  value: Json,
  context: CheckContext,
  { type, kind }: { readonly type: string; readonly kind: GoKind },
  instead: T,
): T => {
  context.members += countMembers(value);
  context.reportType(value, type, kind);
  return instead;
};

const schema = 'apiextensions.v1.JSONSchemaProps';

/** Checks a schema, or a simpler alternative. */
const schemaOr = (name: string): Checker | undefined => {
  const form = /^apiextensions\.v1\.JSONSchemaPropsOr(Bool|Array|StringArray)$/.exec(name)?.[1];
  if (form === undefined) return undefined;
  return {
    goType: goNameOf(name),
    zero: () => null,
    check: (value, context) =>
      context.mute(() => {
        if (isMembers(value)) return context.alone(value, (own) => objectChecker(schema).check(value, own));
        if (form === 'Bool' && typeof value !== 'boolean') throw new StructureError('boolean or JSON schema expected');
        if (form === 'Bool') return value;
        if (!Array.isArray(value))
          throw new StructureError(form === 'Array' ? 'array or JSON schema expected' : 'string array or JSON schema expected');
        const items: Shape = form === 'Array' ? { is: 'type', name: schema } : { is: 'scalar', scalar: 'string' };
        return context.alone(value, (own) => listChecker(items).check(value, own));
      }),
  };
};
