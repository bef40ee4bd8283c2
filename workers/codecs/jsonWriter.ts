import { NumberLiteral } from './value.js';

export const writeJson = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return write(value);
  }
};

/** Marks a number that is temporarily a string, like no other output. */
const numberMark = '\u{10fffd}';

/** Writes one member or item per line, indented by a space per level. */
export const writeIndentedJson = (value: unknown): string =>
  JSON.stringify(value, (_name, each: unknown) => (typeof each === 'bigint' ? `${numberMark}${each}` : each), 1).replace(
    /"\u{10fffd}(-?\d+)"/gu,
    '$1',
  );

const write = (value: unknown): string => {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof NumberLiteral) return value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`).join(',')}}`;
};
