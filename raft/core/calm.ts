import type { Leadership } from './leadership.js';
import { limits } from './limits.js';
import type { MessageOf } from './messages.js';
import type { CoreOptions } from './contract.js';
import type { Server } from './server.js';

// Idle leaders send fewer heartbeats, and followers wait correspondingly longer.
//
//   leader      entries, commits, rounds          heartbeat without news                       heartbeat
//               ──┬────────────────────────────────┬───────────────────────────────────────────┬───▶
//                 └── usual pace, or half of it ───┘└── quiesced: 0.7 of an election timeout ───┘
//   follower      extension 0                      extension: the pause minus a usual one
//
// Both sides recognise a quiesced message: no entries, no read round, and the whole log acknowledged and known to be committed. A follower that needs its
// leader drops the extension, as if the last message had come a usual heartbeat ago. So a hung leader is replaced as early as ever once a request needs it.

export function calmInterval({ heartbeatTicks, electionTicks }: CoreOptions): number {
  return Math.max(heartbeatTicks, Math.floor(electionTicks * limits.calmHeartbeat));
}

function calmPatience(options: CoreOptions): number {
  return calmInterval(options) - options.heartbeatTicks;
}

/** No news: this follower's whole log was acknowledged before, and is committed. */
export function isCalmWord({ log, answered, term }: Server, { entries, previousIndex, commit, round }: MessageOf<'append'>): boolean {
  const nothingNew = entries.length === 0 && previousIndex === log.lastIndex && commit === log.commit && log.commit === log.lastIndex;
  return nothingNew && answered.term === term && answered.match >= log.lastIndex && answered.round >= round;
}

export function heardWord(server: Server, isCalm: boolean): void {
  server.patience = isCalm ? calmPatience(server.options) : 0;
  server.silence = { ...server.silence, since: server.now + server.patience };
}

/** This follower needs an immediate answer of its leader. */
export function becomeImpatient(server: Server): void {
  if (server.leadership !== null) return;
  const left = leftOfPatience(server.patience, server.electionElapsed, server.options);
  if (left === server.patience) return;
  server.silence = { ...server.silence, since: server.silence.since - (server.patience - left) };
  server.patience = left;
}

/** Replies to a quiesced message come with the next one, to others at once. */
export function spokeWord(
  server: Server,
  leadership: Leadership,
  { isCalm, heardAt }: { readonly isCalm: boolean; readonly heardAt: number },
): void {
  leadership.calm = isCalm;
  if (isCalm) leadership.patience = calmPatience(server.options);
  else leadership.patience = leftOfPatience(leadership.patience, server.now - heardAt, server.options);
}

/** The last message counts as at most a usual heartbeat old. */
function leftOfPatience(patience: number, elapsed: number, options: CoreOptions): number {
  return Math.min(patience, Math.max(0, elapsed - options.heartbeatTicks));
}
