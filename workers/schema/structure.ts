import { typeNamed, type ApiType, type Field, type Presence, type Scalar, type Shape } from '../../server/catalogue/types.js';
import { tellingBelow, type Telling } from '../../server/catalogue/emptiness.js';
import { countMembers } from '../codecs/json.js';
import type { MemberOrder } from '../codecs/jsonReader.js';
import { isMembers, type Json, type JsonMembers } from '../codecs/value.js';
import { CheckContext, StructureError } from './context.js';
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
import { textTypeOf } from './textTypes.js';

export interface StructureOptions {
  /** Whether unknown and duplicate fields are wanted. They are dropped either way. */
  readonly unknownFields: 'ignore' | 'report';
  /** From the careful reader: where members were repeated. */
  readonly order?: MemberOrder | undefined;
}

export type StructureResult =
  | {
      readonly ok: true;
      /** The object as the reference would print it: no unknown members, nulls and zero values only where it has them, times and quantities in canonical form. */
      readonly value: JsonMembers;
      /** `unknown field "spec.foo"`, `duplicate field "spec.foo"`, in the order of the text; at most 100. */
      readonly strict: readonly string[];
      /** Members met, known and unknown: less than the text has means that some stand there twice. */
      readonly members: number;
    }
  | {
      readonly ok: false;
      /** `json: cannot unmarshal ...`, or what is wrong with a quantity, time or base64 text. */ readonly message: string;
    };

/**
 * Checks that a decoded value has the structure of a built-in type and brings it into the form in which it is kept. The value is
 * the caller's to give away: it is changed in place where that is possible.
 */
export const checkStructure = (value: JsonMembers, type: ApiType, options: StructureOptions): StructureResult => {
  const context = new CheckContext(options.unknownFields === 'report', options.order);
  try {
    nameEmptyOwners(value);
    const checked = objectChecker(type.name).check(value, context) as JsonMembers;
    return context.problem === undefined
      ? { ok: true, value: checked, strict: context.strict, members: context.members }
      : { ok: false, message: context.problem };
  } catch (error) {
    if (error instanceof StructureError) return { ok: false, message: error.message };
    throw error;
  }
};

/**
 * An empty list of owners says something else than none: that nobody is to own anything any more. So does one empty entry, which unlike the empty list is
 * not lost on the way.
 */
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

/** The checker of a named type. Types refer to each other in circles, so members look theirs up late. */
const objectChecker = (name: string): Checker => {
  let checker = built.get(name);
  if (checker === undefined) {
    checker = (Object.hasOwn(leaves, name) ? leaves[name] : undefined) ?? schemaOr(name) ?? new ObjectChecker(typeNamed(name), name);
    built.set(name, checker);
  }
  return checker;
};

const checkerOf = (shape: Shape): Checker => {
  if (shape.is === 'scalar') return scalars[shape.scalar];
  if (shape.is === 'type') return objectChecker(shape.name);
  return shape.is === 'list' ? listChecker(shape.items) : mapChecker(shape.values);
};

/** `v1.PodSpec` for `core.v1.PodSpec`: package and type. */
const goNameOf = (name: string): string => name.split('.').slice(-2).join('.');

interface Member {
  readonly name: string;
  /** In messages about values of a wrong type. */
  readonly called: string;
  readonly presence: Presence;
  /** An empty list or map cannot be told from an absent one. */
  readonly isCollection: boolean;
  /** Whether empty ones below it tell something. */
  readonly telling: Telling | null;
  /** The items of a list kind, which always exist. */
  readonly isItems: boolean;
  /** What `typeof` says of every right value, if that is all there is to check. */
  readonly plain: 'string' | 'boolean' | undefined;
  readonly checker: () => Checker;
}

class ObjectChecker implements Checker {
  readonly goType: string;
  private readonly members: ReadonlyMap<string, Member>;
  private readonly filled: readonly Member[];
  private readonly owner: string;

  constructor(type: ApiType | undefined, name: string) {
    this.goType = goNameOf(name);
    this.owner = name.split('.').at(-1) ?? name;
    this.members = new Map([...(type?.fields?.values() ?? [])].map((field) => [field.name, memberOf(field, name)]));
    this.filled = [...this.members.values()].filter(({ presence }) => presence === 'always' || presence === 'nullable');
  }

  zero(): JsonMembers {
    return this.fill({});
  }

  check(value: Json, context: CheckContext): Json {
    if (!isMembers(value)) {
      context.members += countMembers(value);
      context.reportType(value, this.goType);
      return this.zero();
    }
    const order = context.order?.get(value);
    const dropped = order === undefined ? this.checkMembers(value, context) : this.checkInOrder(value, order, context);
    return this.fill(dropped === undefined ? value : without(value, dropped));
  }

  /** Returns the names of members that the object is better without. */
  private checkMembers(value: JsonMembers, context: CheckContext): string[] | undefined {
    let dropped: string[] | undefined;
    for (const name in value) {
      context.members++;
      if (!this.checkMember(value, name, context)) (dropped ??= []).push(name);
    }
    return dropped;
  }

  private checkInOrder(value: JsonMembers, order: readonly string[], context: CheckContext): string[] {
    const seen = new Set<string>();
    const dropped: string[] = [];
    for (const name of order) {
      if (seen.has(name)) {
        if (this.members.has(name)) context.reportDuplicate(name);
        continue;
      }
      seen.add(name);
      context.members++;
      if (!this.checkMember(value, name, context)) dropped.push(name);
    }
    return dropped;
  }

  private checkMember(value: JsonMembers, name: string, context: CheckContext): boolean {
    const member = this.members.get(name);
    const before = value[name] as Json;
    if (member === undefined) {
      context.members += countMembers(before);
      context.reportUnknown(name);
      return false;
    }
    if (before === null) return false;
    if (typeof before === member.plain) return (before !== '' && before !== false) || member.presence !== 'value';
    context.enterField(name, this.owner, member.called);
    const around = context.telling;
    if (member.telling !== null) context.telling = member.telling;
    const after = member.checker().check(before, context);
    context.telling = around;
    context.leaveField();
    if (after !== before) value[name] = after;
    return !isAbsent(after, member, around);
  }

  /** Adds what every object of the type has. */
  private fill(value: JsonMembers): JsonMembers {
    for (const { name, presence, checker, isItems } of this.filled) {
      if (value[name] === undefined) value[name] = isItems ? [] : presence === 'nullable' ? null : checker().zero();
    }
    return value;
  }
}

/** Lists of which an empty one says something else than none at all. */
const meaningfulWhenEmpty: ReadonlySet<string> = new Set(['HPAScalingRules.policies']);

const memberOf = (field: Field, type: string): Member => {
  let checker: Checker | undefined;
  const owner = type.split('.').at(-1) ?? type;
  const named = textTypeOf(type, field.name);
  const isItems = field.name === 'items' && owner.endsWith('List');
  return {
    name: field.name,
    called: field.within === undefined ? field.name : `${field.within}.${field.name}`,
    presence: field.presence,
    checker: () => (checker ??= named === undefined ? checkerOf(field.shape) : namedCheckerOf(field.shape, namedText(named))),
    telling: tellingBelow(owner, field.name),
    isItems,
    plain:
      field.shape.is === 'scalar' && (field.shape.scalar === 'string' || field.shape.scalar === 'boolean') ? field.shape.scalar : undefined,
    isCollection: (field.shape.is === 'list' || field.shape.is === 'map') && !isItems && !meaningfulWhenEmpty.has(`${owner}.${field.name}`),
  };
};

/** For texts, and lists of texts, that have a type of their own. */
const namedCheckerOf = (shape: Shape, text: Checker): Checker => (shape.is === 'list' ? listChecker(shape.items, text) : text);

/**
 * Whether a member that was set looks as if it was not. Of a list that is printed as null while it is empty, an empty one stays for now: its
 * sender owns the field then, although nothing of that is kept.
 */
const isAbsent = (value: Json, { presence, isCollection }: Member, telling: Telling | null): boolean => {
  if (isCollection)
    return presence !== 'nullable' && isEmpty(value) && (telling === null || (telling === 'lists' && !Array.isArray(value)));
  if (presence === 'value') return value === '' || value === 0 || value === false || value === null;
  return value === null;
};

const isEmpty = (value: Json): boolean => {
  if (Array.isArray(value)) return value.length === 0;
  for (const _name in value as JsonMembers) return false;
  return true;
};

const without = (value: JsonMembers, dropped: readonly string[]): JsonMembers => {
  const kept: JsonMembers = {};
  // Not the list itself: a client may send as many members that nobody knows as a body has room for.
  const gone = new Set(dropped);
  for (const name of Object.keys(value)) if (!gone.has(name)) kept[name] = value[name] as Json;
  return kept;
};

/** `item` is how each is checked, where the shape does not say it. */
const listChecker = (items: Shape, item?: Checker): Checker => {
  const goType = `[]${(item ?? checkerOf(items)).goType}`;
  return {
    goType,
    zero: () => null,
    check: (value, context) => {
      if (!Array.isArray(value)) return wrongShape(value, context, goType, []);
      const checker = item ?? checkerOf(items);
      for (let index = 0; index < value.length; index++) {
        const before = value[index] as Json;
        if (typeof before === 'string' && (checker === stringChecker || checker === item)) continue;
        context.enter(index);
        const after = before === null ? checker.zero() : checker.check(before, context);
        context.leave();
        if (after !== before) value[index] = after;
      }
      return value;
    },
  };
};

const mapChecker = (values: Shape): Checker => {
  const element = checkerOf(values).goType;
  const goType = element === 'resource.Quantity' ? 'v1.ResourceList' : `map[string]${element}`;
  return {
    goType,
    zero: () => null,
    check: (value, context) => {
      if (!isMembers(value)) return wrongShape(value, context, goType, {});
      const checker = checkerOf(values);
      reportDuplicates(value, context);
      for (const name in value) {
        context.members++;
        const before = value[name] as Json;
        if (typeof before === 'string' && checker === stringChecker) continue;
        context.enter(name);
        const after = before === null ? checker.zero() : checker.check(before, context);
        context.leave();
        if (after !== before) value[name] = after;
      }
      return value;
    },
  };
};

const reportDuplicates = (value: JsonMembers, context: CheckContext): void => {
  const seen = new Set<string>();
  for (const name of context.order?.get(value) ?? []) {
    if (seen.has(name)) context.reportDuplicate(name);
    seen.add(name);
  }
};

const wrongShape = <T extends Json>(value: Json, context: CheckContext, goType: string, instead: T): T => {
  context.members += countMembers(value);
  context.reportType(value, goType);
  return instead;
};

const schema = 'apiextensions.v1.JSONSchemaProps';

/** A schema, or something simpler than a schema, in one place. Unknown fields inside go unreported, as in the reference. */
const schemaOr = (name: string): Checker | undefined => {
  const form = /^apiextensions\.v1\.JSONSchemaPropsOr(Bool|Array|StringArray)$/.exec(name)?.[1];
  if (form === undefined) return undefined;
  return {
    goType: goNameOf(name),
    zero: () => null,
    check: (value, context) =>
      context.mute(() => {
        if (isMembers(value)) return objectChecker(schema).check(value, context);
        if (form === 'Bool' && typeof value !== 'boolean') throw new StructureError('boolean or JSON schema expected');
        if (form === 'Bool') return value;
        if (!Array.isArray(value))
          throw new StructureError(form === 'Array' ? 'array or JSON schema expected' : 'string array or JSON schema expected');
        return listChecker(form === 'Array' ? { is: 'type', name: schema } : { is: 'scalar', scalar: 'string' }).check(value, context);
      }),
  };
};
