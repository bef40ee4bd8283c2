import { isObject } from '../../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { itemsOf, membersOf } from '../../../api/json/members.js';
import { printedMap, printedMetadata, printedSelector } from './printed.js';

/**
 * Structures as messages quote them: the reference prints its internal ones, with all members, under their Go names.
 * - `text`, `number`, `flag`: the zero value when absent.
 * - `optional`: null when absent; so is a list of plain values.
 * - `map`: in the order of its keys; null when absent. `quantity`: zero when absent. `selector`: null when absent, with its JSON names.
 * - `metadata`: its members, those that are set, stand among the others, with their JSON names.
 * - `by`: what a function makes of the value; null when absent.
 * - a structure, always present; `optional` structures and lists of structures are null when absent.
 */
export type MemberForm =
  | 'text'
  | 'number'
  | 'flag'
  | 'optional'
  | 'map'
  | 'quantity'
  | 'selector'
  | 'metadata'
  | { readonly by: (value: JsonValue) => JsonValue }
  | { readonly of: StructureForm }
  | { readonly optional: StructureForm }
  | { readonly list: StructureForm };
/** The JSON name, the Go name, and the form, in the order of declaration. */
export type StructureForm = readonly (readonly [member: string, shown: string, form: MemberForm])[];

type Members = StructureForm;

/** Members of the same form. The Go name is the JSON name with a capital letter, or the part after an equals sign: `iqn=IQN`. */
const held =
  (form: MemberForm) =>
  (...names: readonly string[]): Members =>
    names.map((name) => {
      const [member = '', shown = member.charAt(0).toUpperCase() + member.slice(1)] = name.split('=');
      return [member, shown, form];
    });
export const texts = held('text');
export const numbers = held('number');
export const flags = held('flag');
export const optionals = held('optional');
/** An optional structure, a list of structures. */
export const optionalStructure = (name: string, optional: StructureForm): Members => held({ optional })(name);
export const listOf = (name: string, list: StructureForm): Members => held({ list })(name);
export const printedBy = (by: (value: JsonValue) => JsonValue, ...names: readonly string[]): Members => held({ by })(...names);

const zero = { text: '', number: 0, flag: false, optional: null, map: null, quantity: '0', selector: null, metadata: null } as const;

export const printedStructure = (value: JsonValue | undefined, form: StructureForm): JsonObject => {
  const holder = isObject(value) ? value : {};
  return Object.fromEntries(
    form.flatMap(([member, shown, held]): [string, JsonValue][] =>
      held === 'metadata'
        ? Object.entries(printedMetadata(membersOf(holder[member]))).map(([name, each]) => [name, each ?? null])
        : [[shown, printedMember(holder[member], held)]],
    ),
  );
};

function printedMember(value: JsonValue | undefined, form: MemberForm): JsonValue {
  const absent = value === undefined || value === null;
  if (typeof form === 'string') return absent ? zero[form] : printedPlain(value, form);
  if ('of' in form) return printedStructure(value, form.of);
  if (absent) return null;
  if ('by' in form) return form.by(value);
  return 'optional' in form ? printedStructure(value, form.optional) : itemsOf(value).map((item) => printedStructure(item, form.list));
}

function printedPlain(value: JsonValue, form: MemberForm): JsonValue {
  if (form === 'selector') return printedSelector(value);
  return form === 'map' ? (printedMap(value) ?? value) : value;
}
