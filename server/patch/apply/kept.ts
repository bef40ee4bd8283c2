import { isObject } from '../../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { isBare, sameValue } from './compare.js';
import { isServerMember, isServerMetadata } from './created.js';
import { fieldElement } from './fieldSet.js';
import { itemElement } from './items.js';
import { memberOf, type Schema } from './schema.js';

/** The effect of an update on owners: none; only on the writer's exclusive fields; or more than a quick check can tell. */
export type Touched = 'nothing' | 'own' | 'more';

/** `fieldsV1` of writer and others at one place; undefined for none. */
interface Owners {
  readonly mine: JsonValue | undefined;
  readonly others: readonly JsonObject[];
}

/** Limit of differing fields times owners in the quick check, which has no steps. */
export const touchedMax = 10_000;

interface WalkedOwners extends Owners {
  readonly walk: { left: number };
}

/**
 * Most updates change only fields of their writer: this is found without sets, by walking both states along with the owners' fields. Everything else is
 * `more`. Fields are in the states' version, spelled as in `FieldSet`.
 */
export function touchedBy(schema: Schema, before: JsonObject, after: JsonObject, { mine, others }: Owners): Touched {
  const owners: WalkedOwners = { mine, others, walk: { left: touchedMax } };
  return members({ before, after, isServers: isServerMember }, (name) =>
    (name === 'metadata' ? metadata : value)(memberOf(schema, name), before[name], after[name], ownersOf(owners, fieldElement(name))),
  );
}

function metadata(schema: Schema, before: JsonValue | undefined, after: JsonValue | undefined, owners: WalkedOwners): Touched {
  if (!isObject(before) || !isObject(after)) return 'more';
  return members({ before, after, isServers: isServerMetadata }, (name) =>
    value(memberOf(schema, name), before[name], after[name], ownersOf(owners, fieldElement(name))),
  );
}

interface Members {
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** Members of the server. Stored objects lack a kind, which clients send. */
  readonly isServers: (name: string) => boolean;
}

/** Combines the results of `touched` for the members. */
function members({ before, after, isServers }: Members, touched: (name: string) => Touched): Touched {
  for (const name in after) if (!isServers(name) && !Object.hasOwn(before, name)) return 'more';
  let all: Touched = 'nothing';
  for (const name in before) {
    const found = isServers(name) || before[name] === after[name] ? 'nothing' : touched(name);
    if (found === 'more') return 'more';
    if (found === 'own') all = 'own';
  }
  return all;
}

function value(schema: Schema, before: JsonValue | undefined, after: JsonValue | undefined, owners: WalkedOwners): Touched {
  if (before === after) return 'nothing';
  owners.walk.left -= 1 + owners.others.length;
  if (owners.walk.left < 0) return 'more';
  if (before === undefined || after === undefined) return 'more';
  if (schema.kind === 'unknown') return sameValue(before, after) ? 'nothing' : 'more';
  if (schema.kind === 'list' && schema.relationship !== 'atomic') {
    if (!isDistinct(schema, before)) return 'more';
    if (sameValue(before, after)) return 'nothing';
    return schema.relationship === 'map' ? items(schema, before, after, owners) : 'more';
  }
  if (schema.kind === 'leaf' || schema.kind === 'list' || schema.atomic || (isBare(before) && isBare(after)))
    return sameValue(before, after) ? 'nothing' : isMineAlone(owners) ? 'own' : 'more';
  if (!isObject(before) || !isObject(after)) return 'more';
  return members({ before, after, isServers: nothingIs }, (name) =>
    value(memberOf(schema, name), before[name], after[name], ownersOf(owners, fieldElement(name))),
  );
}

const nothingIs = (): boolean => false;

type KeyedList = Extract<Schema, { kind: 'list'; relationship: 'map' }>;

/** Lists whose items have stayed in place, such as conditions. */
function items(schema: KeyedList, before: JsonValue, after: JsonValue, owners: WalkedOwners): Touched {
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length || !isDistinct(schema, after)) return 'more';
  const elements = new Set<string>();
  let touched: Touched = 'nothing';
  for (const [at, item] of before.entries()) {
    const element = itemElement(schema, item);
    if (elements.has(element) || itemElement(schema, after[at]!) !== element) return 'more';
    elements.add(element);
    const found = value(schema.element, item, after[at], ownersOf(owners, element));
    if (found === 'more') return 'more';
    if (found === 'own') touched = 'own';
  }
  return touched;
}

/** Leaves lists with indistinct items to the full comparison. */
function isDistinct(schema: Extract<Schema, { kind: 'list' }>, items: JsonValue): boolean {
  if (!Array.isArray(items)) return items === null;
  if (schema.relationship !== 'map') return items.every((item) => item === null || typeof item !== 'object');
  return items.every((item) => isObject(item) && schema.keys.some(({ name, default: standIn }) => (item[name] ?? standIn) !== null));
}

/** The field itself, not only something below it. */
function isMineAlone({ mine, others }: Owners): boolean {
  return others.length === 0 && isObject(mine) && (isBare(mine) || Object.hasOwn(mine, '.'));
}

function ownersOf({ mine, others, walk }: WalkedOwners, element: string): WalkedOwners {
  const below = isObject(mine) && Object.hasOwn(mine, element) ? mine[element] : undefined;
  if (others.length === 0) return { mine: below, others, walk };
  return { mine: below, others: others.flatMap((each) => (Object.hasOwn(each, element) ? [each[element] as JsonObject] : [])), walk };
}
