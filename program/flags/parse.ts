import { neutralOptionName } from '../../api/catalogue/vocabulary.js';
import type { Flag, FlagKind, FlagTable, FlagValues, ValueTypes } from './flag.js';
import { closest } from './suggest.js';
import { readValue } from './values.js';

export type ParseResult<T extends FlagTable> =
  | {
      readonly ok: true;
      readonly values: FlagValues<T>;
      readonly given: ReadonlySet<string>;
    }
  | { readonly ok: false; readonly errors: readonly string[] };

/**
 * `--name=value`, `--name value`, `--switch`, `--switch=false`, `-v3`. Underscores in names count as dashes. Empty arguments are skipped, as by the reference's
 * programs (`Args` in cmd/kube-apiserver/app/server.go).
 */
export function parseFlags<T extends FlagTable>(table: T, argv: readonly string[]): ParseResult<T> {
  const names = spellings(table);
  const values = new Map<string, ValueTypes[FlagKind] | null>();
  const errors: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i]!;
    const read = splitArgument(argument, table);
    if (read === null) {
      if (argument !== '') errors.push(unexpected(argument));
      continue;
    }
    const name = names.get(read.name.replaceAll('_', '-'));
    if (name === undefined) {
      errors.push(unknownFlag(read.spelled, read.name, names.keys()));
      continue;
    }
    const flag = table[name]!;
    let { value } = read;
    if (value === null && (flag.kind === 'bool' || flag.kind === 'version')) value = 'true';
    if (value === null) {
      value = argv[i + 1] ?? null;
      const problem = missingValue(read.spelled, flag, value);
      if (problem !== null) {
        errors.push(problem);
        continue;
      }
      i++;
    }
    const result = readValue(flag, value!, values.get(name) ?? null);
    if (result.ok) values.set(name, result.value === '' && flag.default === null ? null : result.value);
    else errors.push(`invalid argument ${JSON.stringify(value)} for "${read.spelled}" flag: want ${result.expected}`);
  }
  if (errors.length > 0) return { ok: false, errors };
  const all = Object.fromEntries(Object.entries(table).map(([name, flag]) => [name, values.has(name) ? values.get(name) : flag.default]));
  return {
    ok: true,
    values: all as FlagValues<T>,
    given: new Set([...values].filter(([, value]) => value !== null).map(([name]) => name)),
  };
}

const unexpected = (argument: string): string =>
  `unexpected argument ${JSON.stringify(argument)}: this program takes options only, written --name=value`;

function spellings(table: FlagTable): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [name, { short }] of Object.entries(table)) {
    names.set(name, name);
    const neutral = neutralOptionName(name);
    if (neutral !== null) names.set(neutral, name);
    if (short !== undefined) names.set(short, name);
  }
  return names;
}

interface Argument {
  readonly spelled: string;
  readonly name: string;
  readonly value: string | null;
}

function splitArgument(argument: string, table: FlagTable): Argument | null {
  const [, dashes, name, value] = /^(--?)([A-Za-z0-9][^=]*)(?:=([\s\S]*))?$/.exec(argument) ?? [];
  if (dashes === undefined || name === undefined) return null;
  if (dashes === '-' && name.length > 1) return splitShort(name, value ?? null, table);
  return { spelled: `${dashes}${name}`, name, value: value ?? null };
}

function splitShort(name: string, value: string | null, table: FlagTable): Argument {
  const letter = name[0]!;
  const isShort = Object.values(table).some(({ short }) => short === letter);
  return isShort && /^\d/.test(name.slice(1)) && value === null
    ? { spelled: `-${letter}`, name: letter, value: name.slice(1) }
    : { spelled: `-${name}`, name, value };
}

function unknownFlag(spelled: string, name: string, known: Iterable<string>): string {
  const meant = closest(
    name,
    [...known].filter((candidate) => candidate.length > 1),
  );
  return `unknown flag: ${spelled}${meant === null ? '' : ` (did you mean --${meant}?)`}`;
}

function missingValue(spelled: string, flag: Flag, next: string | null): string | null {
  if (next === null) return `${spelled} needs a value (${flag.value ?? flag.kind})`;
  return next.startsWith('--') ? `${spelled} needs a value, but ${next} follows; write ${spelled}=${next} if that is the value` : null;
}
