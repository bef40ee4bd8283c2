import type { Leadership } from './leadership.js';
import { limits } from './limits.js';
import type { MessageOf } from './messages.js';
import type { CoreOptions } from './contract.js';
import type { Server } from './server.js';

// Idle leaders speak rarely, and are waited for as much longer.
//
//   leader      entries, commits, rounds          heartbeat that tells nothing new             heartbeat
//               ──┬────────────────────────────────┬───────────────────────────────────────────┬───▶
//                 └── usual pace, or half of it ───┘└── calm: 0.7 of an election timeout ───────┘
//   follower      patience 0                        patience: as much as the pause is longer than a usual one
//
// Both sides know by the word itself whether it was a calm one: no entries, no read round, and all that there is had been acknowledged and known to be committed
// before. Who waits for the leader has no patience: from then on it counts as though the last word had come a usual heartbeat ago. So a leader that hangs is
// replaced as soon as ever once anybody wants something from it, and as many words may be late as ever.

/** Ticks between the heartbeats of a leader that has said that it is calm. */
export function calmInterval({ heartbeatTicks, electionTicks }: CoreOptions): number {
  return Math.max(heartbeatTicks, Math.floor(electionTicks * limits.calmHeartbeat));
}

/** By how many ticks a calm word makes the next one later. */
function calmPatience(options: CoreOptions): number {
  return calmInterval(options) - options.heartbeatTicks;
}

/** Whether this word of the leader tells nothing that was not known here: what was acknowledged before is all that there is, and is committed. */
export function isCalmWord({ log, answered, term }: Server, { entries, previousIndex, commit, round }: MessageOf<'append'>): boolean {
  const nothingNew = entries.length === 0 && previousIndex === log.lastIndex && commit === log.commit && log.commit === log.lastIndex;
  return nothingNew && answered.term === term && answered.match >= log.lastIndex && answered.round >= round;
}

/** A follower has heard its leader. */
export function heardWord(server: Server, isCalm: boolean): void {
  server.patience = isCalm ? calmPatience(server.options) : 0;
  server.silence = { ...server.silence, since: server.now + server.patience };
}

/** This follower waits for something that its leader answers at once. */
export function becomeImpatient(server: Server): void {
  if (server.leadership !== null) return;
  const left = leftOfPatience(server, { elapsed: server.electionElapsed, options: server.options });
  if (left === server.patience) return;
  server.silence = { ...server.silence, since: server.silence.since - (server.patience - left) };
  server.patience = left;
}

/** The leader speaks to everybody. Answers to a calm word come with the next one; to any other they come at once. */
export function spokeWord(
  server: Server,
  leadership: Leadership,
  { isCalm, heardAt }: { readonly isCalm: boolean; readonly heardAt: number },
): void {
  leadership.calm = isCalm;
  if (isCalm) leadership.patience = calmPatience(server.options);
  else leadership.patience = leftOfPatience(leadership, { elapsed: server.now - heardAt, options: server.options });
}

/** As though the last word had come a usual heartbeat ago, or when it came. */
function leftOfPatience(
  { patience }: { readonly patience: number },
  { elapsed, options }: { readonly elapsed: number; readonly options: CoreOptions },
): number {
  return Math.min(patience, Math.max(0, elapsed - options.heartbeatTicks));
}
