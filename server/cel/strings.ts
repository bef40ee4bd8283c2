import type { Environment } from '@marcbachmann/cel-js';

/** Text that a function makes is at most so long. */
const charactersMax = 1024 * 1024;

/** What the reference's string and regular expression libraries have beyond the language's own. */
export function addStringFunctions(environment: Environment): Environment {
  return environment
    .registerFunction('string.charAt(int): string', (text: string, at: bigint) => charAt(text, Number(at)))
    .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) => bounded(text.split(from).join(to)))
    .registerFunction('string.replace(string, string, int): string', (text: string, from: string, to: string, times: bigint) => bounded(replace(text, from, to, Number(times))))
    .registerFunction('string.reverse(): string', (text: string) => [...text].reverse().join(''))
    .registerFunction('string.find(string): string', (text: string, pattern: string) => new RegExp(pattern, 'u').exec(text)?.[0] ?? '')
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) => text.match(new RegExp(pattern, 'gu')) ?? [])
    .registerFunction('string.findAll(string, int): list<string>', (text: string, pattern: string, most: bigint) => findSome(text, pattern, Number(most)));
}

function charAt(text: string, at: number): string {
  const characters = [...text];
  if (at < 0 || at > characters.length) throw new RangeError(`index out of range: ${at}`);
  return characters[at] ?? '';
}

/** A negative number of times is all of them. */
function replace(text: string, from: string, to: string, times: number): string {
  const parts = text.split(from);
  const changed = times < 0 ? parts.length - 1 : Math.min(times, parts.length - 1);
  return parts.slice(0, changed + 1).join(to) + parts.slice(changed + 1).map((part) => from + part).join('');
}

function findSome(text: string, pattern: string, most: number): string[] {
  const all = text.match(new RegExp(pattern, 'gu')) ?? [];
  return most < 0 ? all : all.slice(0, most);
}

function bounded(text: string): string {
  if (text.length > charactersMax) throw new RangeError(`text grows beyond ${charactersMax} characters`);
  return text;
}
