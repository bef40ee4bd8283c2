import type { JsonObject, JsonValue } from '../../api/object.js';

/** Orders a merged list: items of `wanted` in that order, others as in `live`, interleaved to keep both orders. Otherwise the patch's items come first. */
export function orderItems(
  merged: readonly JsonValue[],
  { wanted, live }: { readonly wanted: readonly JsonValue[]; readonly live: readonly JsonValue[] },
  mergeKey: string | null,
): JsonValue[] {
  const idOf = (item: JsonValue): JsonValue | undefined => (mergeKey === null ? item : (item as JsonObject | null)?.[mergeKey]);
  const wantedAt = positionsOf(wanted, idOf);
  const liveAt = positionsOf(live, idOf);
  const byPosition =
    (positions: Positions) =>
    (a: JsonValue, b: JsonValue): number =>
      (positions.get(idOf(a)) ?? Infinity) - (positions.get(idOf(b)) ?? Infinity) || 0;
  const named = merged.filter((item) => wantedAt.has(idOf(item))).sort(byPosition(wantedAt));
  const rest = merged.filter((item) => !wantedAt.has(idOf(item)));
  const others = rest.every((item) => liveAt.has(idOf(item)))
    ? rest.sort(byPosition(liveAt))
    : insertedBefore(rest, (item) => liveAt.get(idOf(item)));
  const ordered: JsonValue[] = [];
  let [namedNext, othersNext] = [0, 0];
  while (namedNext < named.length && othersNext < others.length) {
    const [ours, theirs] = [liveAt.get(idOf(others[othersNext] as JsonValue)), liveAt.get(idOf(named[namedNext] as JsonValue))];
    ordered.push((ours !== undefined && theirs !== undefined && ours < theirs ? others[othersNext++] : named[namedNext++]) as JsonValue);
  }
  return [...ordered, ...named.slice(namedNext), ...others.slice(othersNext)];
}

/** The sort of Go inserts into parts of this length. */
const insertedMax = 20;

/** An item without a position, which only an empty order leaves, is before all earlier ones (normalizeSliceOrder in strategicpatch/patch.go). */
function insertedBefore(items: JsonValue[], positionOf: (item: JsonValue) => number | undefined): JsonValue[] {
  if (items.length > insertedMax) return items;
  const isBefore = (a: JsonValue, b: JsonValue): boolean => {
    const [first, second] = [positionOf(a), positionOf(b)];
    return first === undefined || second === undefined || first < second;
  };
  const sorted: JsonValue[] = [];
  for (const item of items) {
    let at = sorted.length;
    while (at > 0 && isBefore(item, sorted[at - 1] as JsonValue)) at--;
    sorted.splice(at, 0, item);
  }
  return sorted;
}

type Positions = ReadonlyMap<JsonValue | undefined, number>;

function positionsOf(items: readonly JsonValue[], idOf: (item: JsonValue) => JsonValue | undefined): Positions {
  const positions = new Map<JsonValue | undefined, number>();
  for (const [position, item] of items.entries()) if (!positions.has(idOf(item))) positions.set(idOf(item), position);
  return positions;
}
