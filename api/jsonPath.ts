import { isObject } from './json/json.js';
import type { JsonValue } from './object.js';

/**
 * Paths of table columns: `.spec.items[0].name`, `.metadata.labels.a\.b/c`, `.status.conditions[?(@.type=="Ready")].status`. The language is `kubectl -o
 * jsonpath`, one path without surrounding text. Pure.
 */
export type JsonPath = (object: JsonValue) => readonly JsonValue[];

/** Maps the values found so far to the next; values that do not match yield nothing. */
type Step = (values: readonly JsonValue[], root: JsonValue) => readonly JsonValue[];

const stepsMax = 256;
/** Bounds `..`: an object has a few megabytes, but a path may descend several times. */
const visitedMax = 100_000;

export function parseJsonPath(text: string): JsonPath | null {
  const steps = parseSteps(new Reader(text.startsWith('$') ? text.slice(1) : text));
  return steps === null ? null : (root) => run(steps, [root], root);
}

const run = (steps: readonly Step[], values: readonly JsonValue[], root: JsonValue): readonly JsonValue[] =>
  steps.reduce((found, step) => (found.length === 0 ? found : step(found, root)), values);

class Reader {
  at = 0;
  constructor(readonly text: string) {}
  get done(): boolean {
    return this.at >= this.text.length;
  }
  get next(): string {
    return this.text[this.at] ?? '';
  }
  take(word: string): boolean {
    const is = this.text.startsWith(word, this.at);
    if (is) this.at += word.length;
    return is;
  }
  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found !== null) this.at = pattern.lastIndex;
    return found;
  }
}

const namePattern = /(?:\\.|[^.[\](){}\s,=!<>|&@?'"\\])+/y;

function parseSteps(reader: Reader): Step[] | null {
  const steps: Step[] = [];
  while (!reader.done && steps.length < stepsMax) {
    const step = parseStep(reader);
    if (step === null) return null;
    steps.push(step);
  }
  return reader.done ? steps : null;
}

function parseStep(reader: Reader): Step | null {
  if (reader.take('[')) return parseBracket(reader);
  const deep = reader.take('..');
  if (!deep && !reader.take('.')) return null;
  if (reader.done && !deep) return (values) => values;
  if (deep && reader.take('[')) return both(descend, parseBracket(reader));
  const name = reader.match(namePattern)?.[0];
  if (name === undefined) return null;
  const step = name === '*' ? every : member(name.replace(/\\(.)/g, '$1'));
  return deep ? both(descend, step) : step;
}

const both = (first: Step, second: Step | null): Step | null =>
  second === null ? null : (values, root) => second(first(values, root), root);

const member =
  (name: string): Step =>
  (values) =>
    values.flatMap((value) => {
      const found = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
      return found === undefined ? [] : [found];
    });

const childrenOf = (value: JsonValue): readonly JsonValue[] =>
  Array.isArray(value)
    ? value
    : isObject(value)
      ? Object.keys(value)
          .sort()
          .map((name) => value[name])
          .filter((child) => child !== undefined)
      : [];
const every: Step = (values) => values.flatMap(childrenOf);

const descend: Step = (values) => {
  const found: JsonValue[] = [...values];
  for (let at = 0; at < found.length && found.length < visitedMax; at++) {
    for (const child of childrenOf(found[at] ?? null)) if (typeof child === 'object' && child !== null) found.push(child);
  }
  return found;
};

const slicePattern = /(-?\d+)?:(-?\d+)?(?::(-?\d+))?/y;
const indexPattern = /-?\d+/y;
const quoted = /'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"/y;

function parseBracket(reader: Reader): Step | null {
  if (reader.take('?(')) return parseFilter(reader);
  // An empty bracket is a slice from the first to the last item.
  if (reader.take(']')) return sliced(null, null, null);
  const alternatives: Step[] = [];
  do {
    const step = parseAlternative(reader);
    if (step === null) return null;
    alternatives.push(step);
  } while (reader.take(','));
  if (!reader.take(']')) return null;
  return (values, root) => alternatives.flatMap((step) => step(values, root));
}

function parseAlternative(reader: Reader): Step | null {
  if (reader.take('*')) return every;
  const quoted = quotedText(reader);
  if (quoted !== null) return member(quoted);
  const slice = reader.match(slicePattern);
  if (slice !== null) return sliced(numberOf(slice[1]), numberOf(slice[2]), numberOf(slice[3]));
  const index = reader.match(indexPattern)?.[0];
  return index === undefined
    ? null
    : (values) =>
        values.map((value) => (Array.isArray(value) ? value.at(Number(index)) : undefined)).filter((value) => value !== undefined);
}

const numberOf = (text: string | undefined): number | null => (text === undefined ? null : Number(text));

function quotedText(reader: Reader): string | null {
  const found = reader.match(quoted);
  return found === null ? null : (found[1] ?? found[2] ?? '').replace(/\\(.)/g, '$1');
}

/** The language has no backward steps. */
const sliced =
  (from: number | null, to: number | null, step: number | null): Step =>
  (values) =>
    values.flatMap((value) =>
      Array.isArray(value) && (step ?? 1) > 0
        ? value.slice(from ?? 0, to ?? undefined).filter((_, position) => position % (step ?? 1) === 0)
        : [],
    );

type Operand = (item: JsonValue, root: JsonValue) => readonly JsonValue[];

const comparisons: Readonly<Record<string, (a: JsonValue, b: JsonValue) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<=': (a, b) => ordered(a, b) && Number(a) <= Number(b),
  '>=': (a, b) => ordered(a, b) && Number(a) >= Number(b),
  '<': (a, b) => ordered(a, b) && Number(a) < Number(b),
  '>': (a, b) => ordered(a, b) && Number(a) > Number(b),
};
const ordered = (a: JsonValue, b: JsonValue): boolean => typeof a === 'number' && typeof b === 'number';

function parseFilter(reader: Reader): Step | null {
  const left = parseOperand(reader);
  if (left === null) return null;
  reader.match(/\s*/y);
  const operator = Object.keys(comparisons).find((word) => reader.take(word));
  const right = operator === undefined ? null : parseOperand(reader);
  if ((operator !== undefined && right === null) || !reader.take(')]')) return null;
  const compare = operator === undefined ? undefined : comparisons[operator];
  const passes = (item: JsonValue, root: JsonValue): boolean => {
    const found = left(item, root);
    if (compare === undefined || right === null) return found.length > 0;
    const [a] = found;
    const [b] = right(item, root);
    return a !== undefined && b !== undefined && sameKind(a, b) && compare(a, b);
  };
  return (values, root) => values.flatMap((value) => (Array.isArray(value) ? value.filter((item) => passes(item, root)) : []));
}

/** Values of different types never compare, not even as unequal. */
const sameKind = (a: JsonValue, b: JsonValue): boolean => typeof a === typeof b && typeof a !== 'object';

const literals: Readonly<Record<string, JsonValue>> = { true: true, false: false };

function parseOperand(reader: Reader): Operand | null {
  reader.match(/\s*/y);
  const text = quotedText(reader);
  if (text !== null) return () => [text];
  const number = reader.match(/-?\d+(\.\d+)?/y)?.[0];
  if (number !== undefined) return () => [Number(number)];
  const word = reader.match(/true|false/y)?.[0];
  if (word !== undefined) return () => [literals[word] ?? null];
  const fromRoot = reader.take('$');
  if (!fromRoot && !reader.take('@')) return null;
  const steps: Step[] = [];
  while (reader.next === '.' || reader.next === '[') {
    const step = parseStep(reader);
    if (step === null || steps.length >= stepsMax) return null;
    steps.push(step);
  }
  return (item, root) => run(steps, [fromRoot ? root : item], root);
}
