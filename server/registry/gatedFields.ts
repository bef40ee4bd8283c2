import type { ApiObject, JsonObject, JsonValue } from '../../api/object.js';
import type { EnabledFeatures, FieldGate, GatedFields } from '../../program/features/gates.js';
import { isSet, itemsOf, membersOf } from '../../api/json/members.js';

/** Drops fields of disabled features unless the stored object uses the feature. */
export type DropGatedFields = (object: ApiObject, old: ApiObject | null, gated: GatedFields) => void;

/** `gate` and `below` check the paths. */
export interface Gated<T = ApiObject> {
  readonly fields: GatedFields;
  /** Never set: for the compiler. */
  readonly of?: () => T;
}

export function gatedFields(parts: readonly Gated<unknown>[]): GatedFields {
  const all: Partial<Record<FieldGate, readonly string[]>> = {};
  for (const { fields } of parts)
    for (const [feature, paths] of Object.entries(fields) as [FieldGate, readonly string[]][])
      all[feature] = [...(all[feature] ?? []), ...paths];
  return all;
}

interface Step {
  readonly member: string;
  readonly many: boolean;
  readonly goesEmpty: boolean;
}
type FieldPath = readonly Step[];

/**
 * Parses `spec.containers[].lifecycle?.stopSignal`: `[]` and `{}` enter all items of a list or values of a map, `?` marks an object that is dropped when empty.
 */
export const fieldPath = (text: string): FieldPath =>
  text
    .split('.')
    .map((part) => ({ member: part.replace(/(\[\]|\{\}|\?)$/, ''), many: /[\]}]$/.test(part), goesEmpty: part.endsWith('?') }));

/** The fields are computed once for each declaration. */
export function gatedFieldDropper(enabled: EnabledFeatures): DropGatedFields {
  const known = new WeakMap<GatedFields, readonly (readonly FieldPath[])[]>();
  const offOf = (gated: GatedFields): readonly (readonly FieldPath[])[] => {
    const paths = Object.entries(gated)
      .filter(([feature]) => !enabled(feature as FieldGate))
      .map(([, fields]) => fields.map(fieldPath));
    known.set(gated, paths);
    return paths;
  };
  return (object, old, gated) => {
    for (const paths of known.get(gated) ?? offOf(gated)) {
      if (old !== null && paths.some((path) => isUsed(old, path, 0))) continue;
      for (const path of paths) drop(object, path, 0);
    }
  };
}

const insideOf = (value: JsonValue, { many }: Step): readonly JsonValue[] =>
  !many ? [value] : Array.isArray(value) ? itemsOf(value) : Object.values(membersOf(value)).filter((inner) => inner !== undefined);

function isUsed(holder: JsonValue | ApiObject, path: FieldPath, at: number): boolean {
  const step = path[at]!;
  const value = membersOf(holder as JsonValue)[step.member];
  if (!isSet(value)) return false;
  if (at === path.length - 1) return !Array.isArray(value) || value.length > 0;
  return insideOf(value, step).some((inner) => isUsed(inner, path, at + 1));
}

function drop(holder: JsonValue | ApiObject, path: FieldPath, at: number): boolean {
  const step = path[at]!;
  const members = membersOf(holder as JsonValue) as JsonObject;
  const value = members[step.member];
  if (value === undefined) return false;
  if (at === path.length - 1) {
    delete members[step.member];
    return true;
  }
  let dropped = false;
  for (const inner of insideOf(value, step)) dropped = drop(inner, path, at + 1) || dropped;
  if (dropped && step.goesEmpty && Object.keys(membersOf(value)).length === 0) delete members[step.member];
  return dropped;
}
