import { isObject } from '../../../api/json.js';
import type { JsonObject, JsonValue } from '../../api/object.js';
import { itemsOf } from '../members.js';

/**
 * Structures as messages quote them: the reference prints its own ones, with all their members, under the names that these have in Go.
 * - `text`, `number`, `flag`: the zero value when absent.
 * - `optional`: null when absent; so is a list of plain values.
 * - a structure, always there; `optional` structures and lists of structures are null when absent.
 */
export type MemberForm =
  | 'text'
  | 'number'
  | 'flag'
  | 'optional'
  | { readonly of: StructureForm }
  | { readonly optional: StructureForm }
  | { readonly list: StructureForm };
/** Members in the order of declaration: the JSON name, the Go name, and how it is held. */
export type StructureForm = readonly (readonly [member: string, shown: string, form: MemberForm])[];

const ZERO = { text: '', number: 0, flag: false, optional: null } as const;

export const printedStructure = (value: JsonValue | undefined, form: StructureForm): JsonObject => {
  const holder = isObject(value) ? value : {};
  return Object.fromEntries(form.map(([member, shown, held]) => [shown, printedMember(holder[member], held)]));
};

function printedMember(value: JsonValue | undefined, form: MemberForm): JsonValue {
  const absent = value === undefined || value === null;
  if (typeof form === 'string') return absent ? ZERO[form] : value;
  if ('of' in form) return printedStructure(value, form.of);
  if (absent) return null;
  return 'optional' in form ? printedStructure(value, form.optional) : itemsOf(value).map((item) => printedStructure(item, form.list));
}
