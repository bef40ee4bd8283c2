import { writeJson, writeWithSortedMaps } from './jsonWriter.js';

const numericName = /"(?:0|[1-9]\d*)":/;
/** These characters occur only in strings. */
const htmlSafe = (text: string): string =>
  text.replace(/[<>&\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** JSON as Go's encoder spells it: without the characters of HTML, names of maps in their order. */
export function writeGoJson(value: unknown): string {
  const text = writeJson(value);
  return htmlSafe(numericName.test(text) ? writeWithSortedMaps(value) : text);
}

/** A document of Go's encoder. */
export const goLine = (json: string): string => `${htmlSafe(json)}\n`;
