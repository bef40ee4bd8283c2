import { tellingAt } from '../../../../api/catalogue/emptiness.js';
import { typeNamed, type ApiType, type Field, type Shape } from '../../../../api/catalogue/types.js';
import { countMembers } from '../../../../workers/codecs/json.js';
import type { MemberOrder } from '../../../../workers/codecs/jsonReader.js';
import { isMembers, type Json, type JsonMembers } from '../../../../workers/codecs/value.js';
import { CheckContext, StructureError } from '../../../../workers/schema/context.js';
import {
  booleanChecker,
  bytesChecker,
  doubleChecker,
  int32Checker,
  int64Checker,
  leaves,
  namedText,
  stringChecker,
  type Checker,
} from '../../../../workers/schema/leaves.js';
import type { StructureResult } from '../../../../workers/schema/structure.js';
import { textTypeOf, type TextType } from '../../../../workers/schema/textTypes.js';

/** A simple check of structures by lookup of each member. The server's check must have the same results. */
export function walked(value: JsonMembers, type: ApiType, order: MemberOrder | undefined): StructureResult {
  const walk = new Walk(new CheckContext(true, order));
  try {
    const { metadata } = value;
    if (isMembers(metadata) && Array.isArray(metadata['managedFields']) && metadata['managedFields'].length === 0)
      metadata['managedFields'].push({});
    const checked = walk.object(value, type.name) as JsonMembers;
    const { problem, strict, respelled, members } = walk.context;
    return problem === undefined ? { ok: true, value: checked, strict, respelled, members } : { ok: false, message: problem };
  } catch (error) {
    if (error instanceof StructureError) return { ok: false, message: error.message };
    throw error;
  }
}

const scalars = {
  string: stringChecker,
  bytes: bytesChecker,
  int32: int32Checker,
  int64: int64Checker,
  double: doubleChecker,
  boolean: booleanChecker,
};
const schema: Shape = { is: 'type', name: 'apiextensions.v1.JSONSchemaProps' };
const lastWords = (name: string, count: number): string => name.split('.').slice(-count).join('.');
const leafOf = (name: string): Checker | undefined => (Object.hasOwn(leaves, name) ? leaves[name] : undefined);
const alternativeOf = (name: string): string | undefined =>
  /^apiextensions\.v1\.JSONSchemaPropsOr(Bool|Array|StringArray)$/.exec(name)?.[1];

const isCollection = ({ name, shape }: Field, owner: string): boolean =>
  (shape.is === 'list' || shape.is === 'map') &&
  !(name === 'items' && owner.endsWith('List')) &&
  `${owner}.${name}` !== 'HPAScalingRules.policies';
const isEmpty = (value: Json): boolean => Object.keys(value as object).length === 0;

/** Lists in maps, whose type has a name. */
const inMaps = new WeakSet<Shape>();
const goType = (shape: Shape, textType?: TextType): string => {
  if (shape.is === 'scalar') return textType?.text || scalars[shape.scalar].goType;
  if (shape.is === 'type') return leafOf(shape.name)?.goType ?? lastWords(shape.name, 2);
  if (shape.is === 'list') return inMaps.has(shape) ? 'v1.ExtraValue' : `[]${goType(shape.items, textType)}`;
  if (shape.values.is === 'list') inMaps.add(shape.values);
  const values = goType(shape.values, textType);
  return values === 'resource.Quantity' && textType === undefined ? 'v1.ResourceList' : `map[${textType?.key ?? 'string'}]${values}`;
};

class Walk {
  constructor(readonly context: CheckContext) {}

  object(value: Json, name: string): Json {
    const fields = typeNamed(name)?.fields ?? new Map<string, Field>();
    if (!isMembers(value)) {
      this.#wrong(value, lastWords(name, 2));
      return this.#filled({}, fields);
    }
    const order = this.context.order?.get(value)?.flat() ?? Object.keys(value);
    const kept: JsonMembers = {};
    const seen = new Set<string>();
    for (const member of order) {
      const field = fields.get(member);
      if (seen.has(member)) {
        if (field !== undefined) this.context.reportDuplicate(member);
        continue;
      }
      seen.add(member);
      this.context.members++;
      const before = value[member] as Json;
      if (field === undefined) {
        this.context.members += countMembers(before);
        this.context.reportUnknown(member);
      } else if (before !== null) {
        const owner = lastWords(name, 1);
        this.context.enter({ name: member, owner, called: field.within === undefined ? member : `${field.within}.${member}` });
        const around = this.context.telling;
        this.context.telling = tellingAt(owner, member) ?? around;
        const after = this.#value(before, field.shape, textTypeOf(name, member));
        if (isCollection(field, owner) && isEmpty(after)) this.context.reportRespelled();
        this.context.leave();
        if (!this.#isAbsent(after, field, owner)) kept[member] = after;
        this.context.telling = around;
      }
    }
    // Members keep the object's order, not the text's.
    const ordered: JsonMembers = {};
    for (const member of Object.keys(value)) if (Object.hasOwn(kept, member)) ordered[member] = kept[member] as Json;
    return this.#filled(ordered, fields);
  }

  #value(value: Json, shape: Shape, textType?: TextType): Json {
    if (shape.is === 'type') return this.#named(value, shape.name);
    if (shape.is === 'list') return this.#list(value, shape, textType);
    if (shape.is === 'map') return this.#map(value, shape, textType);
    return (textType === undefined || textType.text === '' ? scalars[shape.scalar] : namedText(textType.text)).check(value, this.context);
  }

  #named(value: Json, name: string): Json {
    const form = alternativeOf(name);
    if (form === undefined)
      return leafOf(name)?.check(value, this.context) ?? (leafOf(name) === undefined ? this.object(value, name) : null);
    return this.context.mute(() => {
      if (isMembers(value)) return this.context.alone(value, () => this.#value(value, schema));
      if (form === 'Bool' && typeof value !== 'boolean') throw new StructureError('boolean or JSON schema expected');
      if (form === 'Bool') return value;
      if (!Array.isArray(value)) throw new StructureError(`${form === 'Array' ? 'array' : 'string array'} or JSON schema expected`);
      const items: Shape = form === 'Array' ? schema : { is: 'scalar', scalar: 'string' };
      return this.context.alone(value, () => this.#value(value, { is: 'list', items }));
    });
  }

  #list(value: Json, shape: Shape & { is: 'list' }, textType?: TextType): Json {
    if (!Array.isArray(value)) return this.#wrong(value, goType(shape, textType)) ?? [];
    return value.map((item, index) => this.#inside(index, item, shape.items, textType));
  }

  #map(value: Json, shape: Shape & { is: 'map' }, textType?: TextType): Json {
    if (shape.values.is === 'list') inMaps.add(shape.values);
    if (!isMembers(value)) return this.#wrong(value, goType(shape, textType)) ?? {};
    const seen = new Set<string>();
    for (const name of this.context.order?.get(value)?.flat() ?? []) {
      if (seen.has(name)) this.context.reportDuplicate(name);
      seen.add(name);
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => {
        this.context.members++;
        return [name, this.#inside(name, each, shape.values, textType)];
      }),
    );
  }

  #inside(step: string | number, value: Json, shape: Shape, textType?: TextType): Json {
    if (value === null) return this.#zero(shape);
    this.context.enter(step);
    const after = this.#value(value, shape, textType);
    this.context.leave();
    return after;
  }

  #zero(shape: Shape): Json {
    if (shape.is === 'scalar') return scalars[shape.scalar].zero();
    if (shape.is !== 'type') return null;
    if (alternativeOf(shape.name) !== undefined) return null;
    const leaf = leafOf(shape.name);
    return leaf === undefined ? this.#filled({}, typeNamed(shape.name)?.fields ?? new Map<string, Field>()) : leaf.zero();
  }

  #filled(value: JsonMembers, fields: ReadonlyMap<string, Field>): JsonMembers {
    for (const { name, presence, shape } of fields.values()) {
      if (value[name] !== undefined || (presence !== 'always' && presence !== 'nullable')) continue;
      const isItems = name === 'items' && fields.has('metadata') && fields.has('kind');
      value[name] = isItems ? [] : presence === 'nullable' ? null : this.#zero(shape);
    }
    return value;
  }

  #isAbsent(value: Json, field: Field, owner: string): boolean {
    const { presence } = field;
    const { telling } = this.context;
    if (isCollection(field, owner)) {
      return presence !== 'nullable' && isEmpty(value) && (telling === null || (telling === 'lists' && !Array.isArray(value)));
    }
    const { shape } = field;
    if (presence === 'optional' && value === '' && shape.is === 'scalar' && shape.scalar === 'bytes') return true;
    return value === null || (presence === 'value' && (value === '' || value === 0 || value === false));
  }

  #wrong(value: Json, type: string): null {
    this.context.members += countMembers(value);
    this.context.reportType(value, type, 'struct');
    return null;
  }
}
