import { parseDuration } from './duration.js';
import { realWord } from '../../api/catalogue/vocabulary.js';
import type { FlagFacts, FlagKind, ValueTypes } from './flag.js';

export type ValueResult = { readonly ok: true; readonly value: ValueTypes[FlagKind] } | { readonly ok: false; readonly expected: string };

/** A mistake in a script must not fill memory. */
const elementsMax = 10_000;

const good = (value: ValueTypes[FlagKind]): ValueResult => ({ ok: true, value });
const bad = (expected: string): ValueResult => ({ ok: false, expected });

const trueWords: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const falseWords: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

/** Repeated lists and maps grow; other values are replaced. */
export function readValue(facts: FlagFacts, text: string, before: ValueTypes[FlagKind] | null): ValueResult {
  return readers[facts.kind](text, facts, before);
}

type Reader = (text: string, facts: FlagFacts, before: ValueTypes[FlagKind] | null) => ValueResult;

const readers: Readonly<Record<FlagKind, Reader>> = {
  bool: (text) => (trueWords.has(text) ? good(true) : falseWords.has(text) ? good(false) : bad('true or false')),
  int: (text, facts) =>
    /^[+-]?\d{1,15}$/.test(text) ? bounded(Number(text), facts, 'a whole number') : bad(`a whole number${range(facts)}`),
  float: (text, facts) =>
    /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? bounded(Number(text), facts, 'a number') : bad(`a number${range(facts)}`),
  duration: readDuration,
  quantity: readQuantity,
  string: (text, facts) => word(realWord(text), facts),
  version: (text, facts) => word(text, facts),
  strings: (text, facts, before) => list(before, text === '' ? [] : text.split(',').map((element) => element.trim()), facts),
  repeated: (text, facts, before) => list(before, [text], facts),
  map: (text, facts, before) => pairs(before, text, facts, (key) => key),
  gates: (text, facts, before) =>
    ofOthers.test(text)
      ? bad('features of the component kube, as kube:Feature=true or Feature=true')
      : pairs(before, text, facts, withoutComponent),
};

const ofOthers = /(?:^|,)\s*(?!kube:)[^,=:]*:/;
const withoutComponent = (key: string): string => key.slice(key.indexOf(':') + 1);

function bounded(value: number, facts: FlagFacts, what: string): ValueResult {
  return value < (facts.min ?? -Infinity) || value > (facts.max ?? Infinity) ? bad(`${what}${range(facts)}`) : good(value);
}

function range({ min, max }: FlagFacts, show: (value: number) => string = String): string {
  if (min !== undefined && max !== undefined) return ` from ${show(min)} to ${show(max)}`;
  if (min !== undefined) return ` of at least ${show(min)}`;
  return max === undefined ? '' : ` of at most ${show(max)}`;
}

function readDuration(text: string, facts: FlagFacts): ValueResult {
  const parsed = parseDuration(text);
  const expected = `a duration such as 300ms, 10s or 1h30m${range(facts, (value) => `${value}ms`)}`;
  if (!parsed.ok) return bad(expected);
  return parsed.milliseconds < (facts.min ?? 0) || parsed.milliseconds > (facts.max ?? Infinity)
    ? bad(expected)
    : good(parsed.milliseconds);
}

const quantityFactors: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['m', 1e-3],
  ['k', 1e3],
  ['M', 1e6],
  ['G', 1e9],
  ['T', 1e12],
  ['Ki', 2 ** 10],
  ['Mi', 2 ** 20],
  ['Gi', 2 ** 30],
  ['Ti', 2 ** 40],
]);

function readQuantity(text: string): ValueResult {
  const [, number, suffix] = /^\+?(\d+(?:\.\d*)?|\.\d+)([a-zA-Z]*)$/.exec(text) ?? [];
  const factor = quantityFactors.get(suffix ?? '');
  return number === undefined || factor === undefined ? bad('a quantity such as 512, 64Ki or 1.5Mi') : good(Number(number) * factor);
}

function problem(text: string, { oneOf, check }: FlagFacts): string | null {
  if (oneOf !== undefined && !oneOf.includes(text)) return `one of ${oneOf.join(', ')}`;
  return check?.(text) ?? null;
}

function word(text: string, facts: FlagFacts): ValueResult {
  const expected = text === '' && (facts.default === null || facts.oneOf === undefined) ? null : problem(text, facts);
  return expected === null ? good(text) : bad(expected);
}

function list(before: ValueTypes[FlagKind] | null, added: readonly string[], facts: FlagFacts): ValueResult {
  const expected = added.map((element) => problem(element, facts)).find((found) => found !== null);
  if (expected !== undefined) return bad(added.length > 1 ? `each element to be ${expected}` : expected);
  const all = [...(Array.isArray(before) ? (before as readonly string[]) : []), ...added];
  return all.length > elementsMax ? bad(`at most ${elementsMax} elements`) : good(all);
}

function pairs(before: ValueTypes[FlagKind] | null, text: string, facts: FlagFacts, rename: (key: string) => string): ValueResult {
  const map: Record<string, string> = { ...(typeof before === 'object' && before !== null ? (before as Record<string, string>) : {}) };
  for (const pair of text.split(',').filter((part) => part.trim() !== '')) {
    const at = pair.indexOf('=');
    const key = rename((at < 0 ? pair : pair.slice(0, at)).trim());
    const value = at < 0 ? facts.bare : pair.slice(at + 1).trim();
    if (value === undefined || key === '') return bad('pairs such as key=value,key=value');
    const expected = problem(value, facts);
    if (expected !== null) return bad(`the value of ${JSON.stringify(key)} to be ${expected}`);
    map[key] = value;
  }
  return good(map);
}
