/**
 * The words for a patched object that does not have the form of its type. Strategic merge patches are applied to values in memory, which the reference
 * converts into the type by other means than the text of a body, with other words.
 */

const unmarshal = /cannot unmarshal (\w+)(?: (\S+))? into Go .* of type (.+)$/;
/** Kinds of JSON values by the names of the kinds in memory. */
const kinds: Readonly<Record<string, string>> = { object: 'map', array: 'slice', string: 'string', bool: 'bool' };
const scalars = /^(?:u?int\d*|float\d+|bool|string)$/;

/** What is said of a body, for a value in memory. Other complaints stay as they are. */
export function restoredMessage(message: string): string {
  const [, found = '', number = '', type = ''] = unmarshal.exec(message) ?? [];
  if (type === '') return message;
  const kind = kinds[found] ?? (number.includes('.') ? 'float64' : 'int64');
  if (type.startsWith('map[')) return `cannot restore map from ${kind}`;
  if (type.startsWith('[]')) return `cannot restore slice from ${kind}`;
  return scalars.test(type) ? `cannot convert ${kind} to ${type}` : `cannot restore struct from: ${kind}`;
}
