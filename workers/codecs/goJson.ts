import { writeJson } from './jsonWriter.js';
import { sortedNames } from './protobuf/prepared.js';
import { isMembers } from './value.js';

const escaped = (text: string): string =>
  text.replace(/[<>&\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const writeGoJson = (value: unknown): string => {
  const text = writeJson(value);
  return escaped(numericName.test(text) ? withNumericNames(value) : text);
};

const numericName = /"(?:0|[1-9]\d*)":/;

/** JavaScript moves numeric names to the front; Go sorts maps. */
function withNumericNames(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(withNumericNames).join(',')}]`;
  if (!isMembers(value)) return writeJson(value);
  const names = Object.keys(value);
  const ordered = numericName.test(`"${names[0]}":`) ? sortedNames(value) : names;
  const present = ordered.filter((name) => value[name] !== undefined);
  return `{${present.map((name) => `${JSON.stringify(name)}:${withNumericNames(value[name])}`).join(',')}}`;
}
