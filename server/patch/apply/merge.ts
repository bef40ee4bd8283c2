import { setMember } from '../../api/members.js';
import type { JsonObject, JsonValue } from '../../api/object.js';
import { indexItems, type IndexedItems } from './items.js';
import { isObject } from '../../../api/json.js';
import { shapeOf, type Schema, type Shape } from './schema.js';

/**
 * Lays an applied configuration over a live value: leaves and atomic parts are replaced, maps are joined, items of lists with keys are matched.
 * Live items keep their places; items that both sides have follow the order of the configuration. Throws ListItemError for duplicate keys in the configuration.
 */
export function merge(live: JsonValue | undefined, applied: JsonValue | undefined, schema: Schema): JsonValue | undefined {
  if (applied === undefined) return live;
  const shape = shapeOf(schema, applied);
  if (shape.kind === 'leaf') return applied;
  if (shape.kind === 'list')
    return shape.relationship === 'atomic' || !Array.isArray(applied)
      ? applied
      : mergeItems(shape, Array.isArray(live) ? live : [], applied);
  return shape.atomic || !isObject(applied) ? applied : mergeMembers(shape, isObject(live) ? live : {}, applied);
}

function mergeMembers(shape: Extract<Shape, { kind: 'object' }>, live: JsonObject, applied: JsonObject): JsonObject {
  const merged: JsonObject = {};
  for (const name of new Set([...Object.keys(live), ...Object.keys(applied)])) {
    setMember(
      merged,
      name,
      merge(
        Object.hasOwn(live, name) ? live[name] : undefined,
        Object.hasOwn(applied, name) ? applied[name] : undefined,
        shape.member(name),
      ),
    );
  }
  return merged;
}

type List = Extract<Shape, { kind: 'list' }>;

function mergeItems(list: List, live: readonly JsonValue[], applied: readonly JsonValue[]): JsonValue[] {
  const left = indexItems(list, live, 'first');
  const right = indexItems(list, applied, 'refuse');
  return mergeOrder(left, right).map(({ element, liveIndex }) => {
    const ours = liveIndex === null ? left.byElement.get(element) : live[liveIndex];
    return merge(ours, right.byElement.get(element), list.element) as JsonValue;
  });
}

interface Place {
  readonly element: string;
  readonly liveIndex: number | null;
}

/** Walks both orders at once: an item that only one side has keeps its neighbours; a shared item comes when the configuration says so. */
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
    if (ours !== undefined && theirs !== undefined) {
      if (ours === theirs) {
        take(ours);
        l += 1;
        r += 1;
        continue;
      }
      if (right.byElement.has(ours) && shared[sharedNext] !== undefined && shared[sharedNext] !== ours) {
        l += 1;
        continue;
      }
    }
    if (ours !== undefined) {
      if (!right.byElement.has(ours)) {
        places.push({ element: ours, liveIndex: l });
        l += 1;
        continue;
      }
      if (done.has(ours)) l += 1;
    }
    if (theirs !== undefined) {
      take(theirs);
      r += 1;
    }
  }
  return places;
}
