import type { Steps } from '../../../api/steps.js';
import { setMember } from '../../../api/json/setMember.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { comparedInStep, indexItems, type IndexedItems } from './items.js';
import { isObject } from '../../../api/json/json.js';
import { isAtomic, shapeOf, type Schema, type Shape } from './schema.js';

/**
 * Merges a configuration into a live value: replaces leaves and atomic parts, merges maps, matches list items by key. Live items keep their places; shared
 * items follow the configuration's order. Repeated live items are replaced as a whole. The configuration has no repeated items (`typeProblem`).
 */
export function* merge(live: JsonValue | undefined, applied: JsonValue | undefined, schema: Schema): Steps<JsonValue | undefined> {
  if (applied === undefined) return live;
  const shape = shapeOf(schema, applied);
  if (shape.kind === 'leaf') return applied;
  if (applied === null && !isAtomic(shape) && hasMembers(live)) return live;
  if (shape.kind === 'list')
    return shape.relationship === 'atomic' || !Array.isArray(applied)
      ? applied
      : yield* mergeItems(shape, Array.isArray(live) ? live : [], applied);
  return shape.atomic || !isObject(applied) ? applied : yield* mergeMembers(shape, isObject(live) ? live : {}, applied);
}

/** A null does not determine its contents: a part merged by member stays, unless it is empty. */
const hasMembers = (live: JsonValue | undefined): boolean => typeof live === 'object' && live !== null && Object.keys(live).length > 0;

function* mergeMembers(shape: Extract<Shape, { kind: 'object' }>, live: JsonObject, applied: JsonObject): Steps<JsonObject> {
  const merged: JsonObject = {};
  let members = 0;
  for (const name of new Set([...Object.keys(live), ...Object.keys(applied)])) {
    if (++members % comparedInStep === 0) yield;
    const ours = Object.hasOwn(live, name) ? live[name] : undefined;
    setMember(merged, name, Object.hasOwn(applied, name) ? yield* merge(ours, applied[name], shape.member(name)) : ours);
  }
  return merged;
}

type List = Extract<Shape, { kind: 'list' }>;

function* mergeItems(list: List, live: readonly JsonValue[], applied: readonly JsonValue[]): Steps<JsonValue[]> {
  const left = yield* indexItems(list, live);
  const right = yield* indexItems(list, applied);
  const merged: JsonValue[] = [];
  for (const { element, liveIndex } of mergeOrder(left, right)) {
    const ours = liveIndex !== null ? live[liveIndex] : left.repeated.has(element) ? undefined : left.byElement.get(element);
    if (merged.push((yield* merge(ours, right.byElement.get(element), list.element)) as JsonValue) % comparedInStep === 0) yield;
  }
  return merged;
}

interface Place {
  readonly element: string;
  readonly liveIndex: number | null;
}

/** Walks both orders at once: unshared items keep their neighbours, shared ones follow the configuration. */
function mergeOrder(left: IndexedItems, right: IndexedItems): Place[] {
  const shared = right.elements.filter((element) => left.byElement.has(element));
  let sharedNext = 0;
  const places: Place[] = [];
  const done = new Set<string>();
  const take = (element: string): void => {
    places.push({ element, liveIndex: null });
    done.add(element);
    if (shared[sharedNext] === element) sharedNext += 1;
  };
  let l = 0;
  let r = 0;
  while (l < left.elements.length || r < right.elements.length) {
    const ours = left.elements[l];
    const theirs = right.elements[r];
    if (ours !== undefined && ours === theirs) {
      take(ours);
      l += 1;
      r += 1;
      continue;
    }
    const isShared = ours !== undefined && right.byElement.has(ours);
    if (isShared && theirs !== undefined && shared[sharedNext] !== undefined && shared[sharedNext] !== ours) {
      l += 1;
      continue;
    }
    if (ours !== undefined && !isShared) {
      places.push({ element: ours, liveIndex: l });
      l += 1;
      continue;
    }
    if (ours !== undefined && done.has(ours)) l += 1;
    if (theirs !== undefined) {
      take(theirs);
      r += 1;
    }
  }
  return places;
}
