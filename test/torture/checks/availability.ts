import { limited, type Finding } from './finding.js';

/** A member as it is seen from outside, at one moment. */
export interface MemberSight {
  readonly id: string;
  /** Tells one start of its process from the next. */
  readonly start: number;
  /** It runs and listens, is not stopped, and its disk is good. */
  readonly well: boolean;
  /** `maybe` while a change of the membership is under way that makes it a voter, or ends that. */
  readonly votes: 'yes' | 'maybe' | 'no';
}

/** The cluster at one moment. */
export interface Sight {
  readonly atMs: number;
  /** Who keeps what is written. */
  readonly members: readonly MemberSight[];
  /** Servers that keep nothing themselves: one that reaches a majority of the members takes writes. Left out where the members are the servers. */
  readonly servers?: readonly MemberSight[];
  /** Whether both hear each other as they should. */
  readonly connected: (a: string, b: string) => boolean;
}

/**
 * The longest time in which a working majority acknowledges a write: a silent connection (4 s), the next attempt (2 s), an election with a tie (2 s), and a lost
 * request (5 s). It was 21 s with fifteen processes for each processor, so crowded machines get more.
 */
export const silenceMaxMs = 15_000;

/** Nobody looked for so long: the machine stood still, and with it whoever is judged. */
const blindMaxMs = 1_000;

/** Some members that could work together, from `fromMs` to `toMs`. */
export interface Working {
  readonly members: string;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Silence extends Working {
  readonly ms: number;
}

/** Every time in which the same members, a majority of the voters whoever counts them, were well and connected. Times overlap: a set has subsets. */
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

/** The longest times without an acknowledged write while the same majority could work together, longest first, no two about the same time. */
export function silences(sights: readonly Sight[], acknowledgedMs: readonly number[]): readonly Silence[] {
  return silencesIn(workingTimes(sights), acknowledgedMs);
}

/** The same of other events, in times that are given. */
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

/** Whoever has a majority that runs and can talk takes writes. */
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

/** Sets of members that could work together now, and the server before them where there is one: subsets of few, so all are tried. */
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
