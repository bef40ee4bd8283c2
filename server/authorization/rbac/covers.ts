import { turns, type Ended } from '../../../workers/turns/turns.js';
import { inOneGo, type Steps } from '../../../api/steps.js';
import { HeldRules } from './heldRules.js';
import type { PolicyRule } from './policy.js';
import { dimension, uncovered, type Box, type Dimension } from './uncovered.js';
import { comparisonStepsMax, Work } from './work.js';

export interface Missing {
  readonly rules: readonly PolicyRule[];
  /** Not all missing rights are listed. */
  readonly cut: boolean;
}

export const listedMax = 500;

const none: PolicyRule = { apiGroups: [], resources: [], verbs: [], resourceNames: [], nonResourceURLs: [] };

/** Returns the part of `wanted` without a grant in `held`. Only for small lists. Pure. */
export function missingRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  return inOneGo(findMissing(held, wanted, { work: new Work(Infinity), listedMax: Infinity }))?.rules ?? [];
}

/** The same for clients' rules: yields to other requests; null beyond `comparisonStepsMax`. */
export async function compareRules(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
  { work = new Work(comparisonStepsMax), ended }: ComparisonOptions = {},
): Promise<Missing | null> {
  return turns.run(findMissing(held, wanted, { work, listedMax }), ended);
}

interface ComparisonOptions {
  readonly work?: Work;
  /** Aborts when no caller waits for the outcome any more. */
  readonly ended?: Ended;
}

/** A missing combination: the index of its rule, whether it is about paths, and its words' positions. */
type Place = readonly number[];

function* findMissing(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
  { work, listedMax }: { readonly work: Work; readonly listedMax: number },
): Steps<Missing | null> {
  const index = yield* HeldRules.of(held, work);
  const places: Place[] = [];
  let cut = false;
  for (const [number, rule] of wanted.entries()) {
    for (const [part, dimensions] of [yield* ofResources(rule, index, work), yield* ofPaths(rule, index, work)].entries()) {
      const boxes = yield* uncovered(dimensions, work, listedMax - places.length + 1);
      if (boxes === null) return null;
      for (const box of boxes) cut = list(box, [number, part], places, listedMax) || cut;
    }
    if (cut) break;
  }
  return { rules: compact(places.sort(inOrder).map((place) => atom(wanted, place))), cut };
}

function* ofResources(
  { apiGroups, resources, verbs, resourceNames }: PolicyRule,
  held: HeldRules,
  work: Work,
): Generator<void, readonly Dimension[]> {
  return [
    yield* dimension(apiGroups, (group) => held.group(group), work),
    yield* dimension(resources, (resource) => held.resource(resource), work),
    yield* dimension(verbs, (verb) => held.verb(verb), work),
    yield* dimension(resourceNames.length === 0 ? [null] : resourceNames, (name) => held.name(name), work),
  ];
}

function* ofPaths({ nonResourceURLs, verbs }: PolicyRule, held: HeldRules, work: Work): Generator<void, readonly Dimension[]> {
  return [
    yield* dimension(nonResourceURLs, (url) => held.path(url), work),
    yield* dimension(nonResourceURLs.length === 0 ? [] : verbs, (verb) => held.verb(verb), work),
  ];
}

/** Adds a box's combinations. True when there is no room for all. */
function list(box: Box, before: Place, places: Place[], listedMax: number): boolean {
  const [positions, ...rest] = box;
  if (positions === undefined) {
    if (places.length >= listedMax) return true;
    places.push(before);
    return false;
  }
  return positions.some((position) => list(rest, [...before, position], places, listedMax));
}

function inOrder(a: Place, b: Place): number {
  const at = a.findIndex((position, level) => position !== b[level]);
  return at < 0 ? 0 : a[at]! - b[at]!;
}

function atom(wanted: readonly PolicyRule[], [number = 0, part, first = 0, second = 0, third = 0, fourth = 0]: Place): PolicyRule {
  const { apiGroups, resources, verbs, resourceNames, nonResourceURLs } = wanted[number]!;
  if (part === 1) return { ...none, nonResourceURLs: [nonResourceURLs[first]!], verbs: [verbs[second]!] };
  return {
    ...none,
    apiGroups: [apiGroups[first]!],
    resources: [resources[second]!],
    verbs: [verbs[third]!],
    resourceNames: resourceNames.length === 0 ? [] : [resourceNames[fourth]!],
  };
}

/** Joins combinations of resources that differ only in their verb. */
function compact(atoms: readonly PolicyRule[]): PolicyRule[] {
  const joined = new Map<string, { readonly rule: PolicyRule; readonly verbs: string[] }>();
  for (const rule of atoms) {
    const { verbs, ...rest } = rule;
    const key = JSON.stringify(rule.nonResourceURLs.length === 0 ? rest : rule);
    const same = joined.get(key);
    if (same === undefined) joined.set(key, { rule, verbs: [...verbs] });
    else same.verbs.push(...verbs);
  }
  return [...joined.values()].map(({ rule, verbs }) => ({ ...rule, verbs }));
}
