import { NumberLiteral } from './value.js';

export const writeJson = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return write(value, Object.keys);
  }
};

/** Sorts members at every depth by their bytes, as Go does for maps, numerals too, which objects list first. */
export const writeSortedJson = (value: unknown): string => write(value, (object) => inByteOrder(Object.keys(object)));

/** Only surrogates sort otherwise in UTF-16 than in UTF-8. */
const surrogate = /[\ud800-\udfff]/;
const inByteOrder = (names: string[]): string[] =>
  names.some((name) => surrogate.test(name)) ? names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))) : names.sort();

const numeral = /^(?:0|[1-9]\d*)$/;
const mapNames = (object: object): string[] => {
  const names = Object.keys(object);
  return names[0] !== undefined && numeral.test(names[0]) ? inByteOrder(names) : names;
};

/** Sorts maps with numerals for names; structures have none. */
export const writeWithSortedMaps = (value: unknown): string => write(value, mapNames);

/** Marks a number that is temporarily a string, like no other output. */
const numberMark = '\u{10fffd}';

/** Writes one member or item per line, indented by a space per level. */
export const writeIndentedJson = (value: unknown): string =>
  JSON.stringify(value, (_name, each: unknown) => (typeof each === 'bigint' ? `${numberMark}${each}` : each), 1).replace(
    /"\u{10fffd}(-?\d+)"/gu,
    '$1',
  );

const write = (value: unknown, namesOf: (object: object) => readonly string[]): string => {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof NumberLiteral) return value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map((item) => write(item, namesOf)).join(',')}]`;
  const members = value as Readonly<Record<string, unknown>>;
  const texts = namesOf(members).flatMap((name) =>
    members[name] === undefined ? [] : [`${JSON.stringify(name)}:${write(members[name], namesOf)}`],
  );
  return `{${texts.join(',')}}`;
};
