/** The reference converts the result of a strategic merge patch from values in memory, with other words than for a text. */

const unmarshal = /cannot unmarshal (\w+)(?: (\S+))? into Go struct field .* of type (.+)$/;
const kinds: Readonly<Record<string, string>> = { object: 'map', array: 'slice', string: 'string', bool: 'bool' };
const scalars = /^(?:u?int\d*|float\d+|bool|string)$/;

/** Translates a message about a body to one about a value in memory. Others stay unchanged. */
export function restoredMessage(message: string): string {
  const [, found = '', number = '', type = ''] = unmarshal.exec(message) ?? [];
  if (type === '') return message;
  const kind = kinds[found] ?? (number.includes('.') ? 'float64' : 'int64');
  if (type.startsWith('map[')) return `cannot restore map from ${kind}`;
  if (type.startsWith('[]')) return `cannot restore slice from ${kind}`;
  return scalars.test(type) ? `cannot convert ${kind} to ${type}` : `cannot restore struct from: ${kind}`;
}
