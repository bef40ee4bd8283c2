import { inOneGo, type Steps } from '../../../api/steps.js';
import { causesMax } from '../../../api/status.js';
import type { Stepwise } from '../stepwise.js';
import type { FieldError } from './field.js';

export type Found = Stepwise<FieldError[]>;

const stepItems = 32;

/** Stops when there are as many findings as a response lists. A long list is checked in steps. */
export function ofEach<T>(items: readonly T[], check: (item: T, position: number) => Found, most = causesMax): Found {
  if (items.length > stepItems) return inSteps(items, check, most);
  let all: Found[] | null = null;
  for (let position = 0; position < items.length; position++) {
    const found = check(items[position] as T, position);
    if (!Array.isArray(found) || found.length > 0) (all ??= []).push(found);
  }
  return all === null ? [] : inOrder(...all);
}

function* inSteps<T>(items: readonly T[], check: (item: T, position: number) => Found, most: number): Steps<FieldError[]> {
  const findings: FieldError[] = [];
  let certain = 0;
  for (let position = 0; position < items.length && certain < most; position++) {
    if (position % stepItems === 0) yield;
    const found = check(items[position] as T, position);
    for (const finding of Array.isArray(found) ? found : yield* found) {
      findings.push(finding);
      if (isCertain(finding)) certain += 1;
    }
  }
  return findings;
}

/** Holds regardless of features and of the old object. */
const isCertain = ({ gate, kept }: FieldError): boolean => gate === undefined && kept === undefined;

/** Serves checks that sort findings afterwards. */
export const ofAll = <T>(items: readonly T[], check: (item: T, position: number) => Found): Found => ofEach(items, check, Infinity);

/** Findings in steps run in turn, after the call. */
export function inOrder(...parts: readonly Found[]): Found {
  let found: Found | null = null;
  for (const part of parts) {
    if (Array.isArray(part) && part.length === 0) continue;
    if (found === null) found = part;
    else if (Array.isArray(found) && Array.isArray(part)) found = [...found, ...part];
    else return joined(parts);
  }
  return found ?? [];
}

function* joined(parts: readonly Found[]): Steps<FieldError[]> {
  const findings: FieldError[][] = [];
  for (const part of parts) findings.push(Array.isArray(part) ? part : yield* part);
  return findings.flat();
}

/** Serves where another limit bounds the work. */
export const atOnce = (found: Found): FieldError[] => (Array.isArray(found) ? found : inOneGo(found));

const orderedAtOnce = 2_000;

/** Returns as many findings as a response lists, in the order of their texts. */
export function* inOrderOfTexts(findings: readonly FieldError[]): Steps<FieldError[]> {
  let first: { readonly text: string; readonly finding: FieldError }[] = [];
  for (let start = 0; start < findings.length; start += orderedAtOnce) {
    if (start > 0) yield;
    const next = findings.slice(start, start + orderedAtOnce).map((finding) => ({ text: `${finding.path}: ${finding.message}`, finding }));
    first = [...first, ...next].sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0)).slice(0, causesMax);
  }
  return first.map(({ finding }) => finding);
}

/** Transforms findings, such as those that belong to a feature. */
export const fromFound = (found: Found, change: (findings: FieldError[]) => FieldError[]): Found =>
  Array.isArray(found) ? change(found) : changed(found, change);

function* changed(steps: Steps<FieldError[]>, change: (findings: FieldError[]) => FieldError[]): Steps<FieldError[]> {
  return change(yield* steps);
}
