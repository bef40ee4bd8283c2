import type { Service } from '../../api/types/core/v1.js';
import type { Endpoint, EndpointSlice } from '../../api/types/discovery/v1.js';
import type { ZoneShares } from './zoneShares.js';

/**
 * Hints of topology mode `Auto`: each zone gets endpoints in proportion to its processors, its own first. Slices with sufficient hints stay unchanged. Pure.
 */

const modeAnnotations = ['service.kubernetes.io/topology-aware-hints', 'service.kubernetes.io/topology-mode'];
/** Permitted overload of an endpoint above its part. */
const overload = 0.2;

/** The older annotation counts where both exist. */
export function asksForTopology({ metadata }: Service): boolean {
  const mode = modeAnnotations.map((name) => metadata.annotations?.[name]).find((value) => value !== undefined);
  return mode === 'Auto' || mode === 'auto';
}

interface Allocation {
  readonly minimum: number;
  readonly maximum: number;
  readonly desired: number;
}
type Allocations = ReadonlyMap<string, Allocation>;

export interface Hinting {
  readonly slices: readonly EndpointSlice[];
  /** The reason for missing hints, or null. */
  readonly refusal: string | null;
}

/** `changing` are always written; `settled` only with wrong hints. */
export function withTopologyHints(changing: readonly EndpointSlice[], settled: readonly EndpointSlice[], shares: ZoneShares): Hinting {
  const all = [...changing, ...settled];
  const none = (refusal: string): Hinting => ({ slices: all.map(withoutHints), refusal });
  const allocations = allocate(shares, all.flatMap(({ endpoints }) => endpoints ?? []).filter(isReady).length);
  if (typeof allocations === 'string') return none(allocations);
  const held = new Map<string, number>();
  const kept = new Set(settled.filter((slice) => holdsUp(slice, allocations, held)));
  const open = all.filter((slice) => !kept.has(slice));
  if (open.some(({ endpoints }) => (endpoints ?? []).some((endpoint) => isReady(endpoint) && !endpoint.zone)))
    return none('One or more endpoints do not have a zone specified');
  for (const zone of open
    .flatMap(({ endpoints }) => endpoints ?? [])
    .filter(isReady)
    .flatMap(({ zone: own }) => own ?? []))
    add(held, zone, 1);
  if (held.size === 0) return none('No hints allocated for zones');
  const moves = movesBetween(allocations, held);
  return { slices: all.map((slice) => (kept.has(slice) ? slice : hinted(slice, moves))), refusal: null };
}

const isReady = ({ conditions }: Endpoint): boolean => conditions?.ready === true;
const add = (counts: Map<string, number>, zone: string, count: number): void => {
  counts.set(zone, (counts.get(zone) ?? 0) + count);
};

function withoutHints(slice: EndpointSlice): EndpointSlice {
  if (!slice.endpoints?.some(({ hints }) => hints)) return slice;
  return { ...slice, endpoints: slice.endpoints.map(({ hints: _, ...endpoint }) => endpoint) };
}

/** Returns the endpoints of each zone, or why they are unknown. */
function allocate(shares: ZoneShares, count: number): Allocations | string {
  if (!shares) return 'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes';
  const numbers = `(${count} endpoints, ${shares.size} zones)`;
  if (shares.size > count) return `Insufficient number of endpoints ${numbers}`;
  const wanted = [...shares].map(([zone, share]) => ({
    zone,
    desired: share * count,
    minimum: Math.ceil((share * count) / (1 + overload)),
  }));
  const spare = count - wanted.reduce((sum, { minimum }) => sum + minimum, 0);
  if (spare < 0) return `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${numbers}`;
  return new Map(
    wanted.map(({ zone, desired, minimum }) => [zone, { minimum, maximum: minimum + spare, desired: Math.max(desired, minimum) }]),
  );
}

/** Returns whether a slice's hints may stay, and then counts them into `held`. */
function holdsUp({ endpoints }: EndpointSlice, allocations: Allocations, held: Map<string, number>): boolean {
  const own = new Map<string, number>();
  for (const { hints } of (endpoints ?? []).filter(isReady)) {
    const zones = hints?.forZones ?? [];
    if (zones.length === 0) return false;
    for (const { name } of zones) add(own, name, 1);
  }
  for (const [zone, count] of own) if (count + (held.get(zone) ?? 0) > (allocations.get(zone)?.maximum ?? -1)) return false;
  for (const [zone, count] of own) add(held, zone, count);
  return true;
}

interface Moves {
  readonly giving: Map<string, number>;
  readonly receiving: Map<string, number>;
}

/** Returns whole endpoints to move from zones with too many to zones with too few, where that improves the balance. */
function movesBetween(allocations: Allocations, held: ReadonlyMap<string, number>): Moves {
  const surplus = new Map([...allocations].map(([zone, { desired }]) => [zone, (held.get(zone) ?? 0) - desired]));
  const lack = new Map([...surplus].map(([zone, amount]) => [zone, -amount]));
  const moves: Moves = { giving: new Map(), receiving: new Map() };
  for (;;) {
    const [giver, gives] = most(surplus);
    const [taker, takes] = most(lack);
    if (gives < 0.5 || takes < 0.5 || (gives < 1 && takes < 1)) return moves;
    add(moves.giving, giver, 1);
    add(moves.receiving, taker, 1);
    add(surplus, giver, -1);
    add(lack, taker, -1);
  }
}

const most = (amounts: ReadonlyMap<string, number>): readonly [string, number] =>
  [...amounts].reduce((best, next) => (next[1] > best[1] ? next : best), ['', 0] as const);

/** Sets hints for the own zone, except for endpoints given to other zones. */
function hinted(slice: EndpointSlice, { giving, receiving }: Moves): EndpointSlice {
  const take = (counts: Map<string, number>, zone: string): boolean => {
    const left = counts.get(zone) ?? 0;
    if (left > 0) counts.set(zone, left - 1);
    return left > 0;
  };
  return {
    ...slice,
    endpoints: (slice.endpoints ?? []).map(({ hints: _, ...endpoint }) => {
      const { zone } = endpoint;
      if (!isReady(endpoint) || !zone) return endpoint;
      const other = take(giving, zone) ? [...receiving].find(([, left]) => left > 0)?.[0] : undefined;
      if (other !== undefined) take(receiving, other);
      return { ...endpoint, hints: { forZones: [{ name: other ?? zone }] } };
    }),
  };
}
