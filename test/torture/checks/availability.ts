import { limited, type Finding } from './finding.js';

export interface MemberSight {
  readonly id: string;
  /** Identifies one start of the process. */
  readonly start: number;
  /** The process runs and listens, and its disk works. */
  readonly well: boolean;
  /** `maybe` while a membership change makes it a voter or removes it. */
  readonly votes: 'yes' | 'maybe' | 'no';
}

export interface Sight {
  readonly atMs: number;
  /** Members that store data. */
  readonly members: readonly MemberSight[];
  /** Stateless servers: one that reaches a majority of the members accepts writes. Absent if the members are the servers. */
  readonly servers?: readonly MemberSight[];
  /** Whether their link works in both directions. */
  readonly connected: (a: string, b: string) => boolean;
}

/**
 * The longest permitted time until a working majority acknowledges a write: a silent connection (4 s), the next attempt (2 s), an election with a tie (2 s)
 * and a lost request (5 s). Crowded machines get more: it was 21 s with fifteen processes a processor.
 */
export const silenceMaxMs = 15_000;

/** A longer gap between observations means that the whole machine stood still. */
const blindMaxMs = 1_000;

export interface Working {
  readonly members: string;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Silence extends Working {
  readonly ms: number;
}

/** All times in which one set of members was a connected, healthy majority of the voters. Times of subsets overlap. */
export function workingTimes(sights: readonly Sight[]): readonly Working[] {
  const done: Working[] = [];
  let open = new Map<string, number>();
  let before = -Infinity;
  for (const sight of sights) {
    const now = new Set(majorities(sight));
    const blind = sight.atMs - before > blindMaxMs;
    const next = new Map<string, number>();
    for (const [members, fromMs] of open) if (blind || !now.has(members)) done.push({ members, fromMs, toMs: before });
    for (const members of now) next.set(members, blind ? sight.atMs : (open.get(members) ?? sight.atMs));
    open = next;
    before = sight.atMs;
  }
  for (const [members, fromMs] of open) done.push({ members, fromMs, toMs: before });
  return done;
}

/** The longest times without an acknowledged write while one majority could work, longest first, without overlaps. */
export function silences(sights: readonly Sight[], acknowledgedMs: readonly number[]): readonly Silence[] {
  return silencesIn(workingTimes(sights), acknowledgedMs);
}

/** The same for other events and given times. */
export function silencesIn(working: readonly Working[], eventsMs: readonly number[]): readonly Silence[] {
  const times = [...eventsMs].sort((a, b) => a - b);
  const all = working
    .flatMap(({ members, fromMs, toMs }) => {
      const stops = [fromMs, ...times.filter((time) => time > fromMs && time < toMs), toMs];
      return stops.slice(1).map((to, index) => ({ members, fromMs: stops[index]!, toMs: to, ms: to - stops[index]! }));
    })
    .sort((a, b) => b.ms - a.ms);
  const apart: Silence[] = [];
  for (const silence of all) if (!apart.some(({ fromMs, toMs }) => silence.fromMs < toMs && fromMs < silence.toMs)) apart.push(silence);
  return apart;
}

/** Checks that a connected, running majority accepts writes. */
export function checkAvailability(sights: readonly Sight[], acknowledgedMs: readonly number[], maxMs = silenceMaxMs): readonly Finding[] {
  const start = sights[0]?.atMs ?? 0;
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  return limited(
    silences(sights, acknowledgedMs)
      .filter(({ ms }) => ms > maxMs)
      .map(({ members, fromMs, toMs, ms }) => ({
        promise: 'availability',
        details: `no write was acknowledged for ${seconds(ms)} (${seconds(fromMs - start)} to ${seconds(toMs - start)} after the first look) although ${members} were a majority, well and connected`,
      })),
  );
}

/** Sets of members that could work together now, each with a server if servers are separate. Tries all subsets. */
export function majorities({ members, servers, connected }: Sight): readonly string[] {
  const voters = members.filter(({ votes }) => votes !== 'no').length;
  let sets: MemberSight[][] = [[]];
  for (const member of members) {
    if (!member.well || member.votes !== 'yes') continue;
    sets = [...sets, ...sets.filter((set) => set.every(({ id }) => connected(id, member.id))).map((set) => [...set, member])];
  }
  const sufficient = sets.filter((set) => set.length * 2 > voters);
  const whole =
    servers === undefined
      ? sufficient
      : servers
          .filter(({ well }) => well)
          .flatMap((server) => sufficient.filter((set) => set.every(({ id }) => connected(server.id, id))).map((set) => [...set, server]));
  return whole.map((set) =>
    set
      .map(({ id, start }) => `${id} (process ${start})`)
      .sort()
      .join(', '),
  );
}
