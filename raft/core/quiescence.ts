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

export function quiescedInterval({ heartbeatTicks, electionTicks }: CoreOptions): number {
  return Math.max(heartbeatTicks, Math.floor(electionTicks * limits.quiescedHeartbeat));
}

function extensionOf(options: CoreOptions): number {
  return quiescedInterval(options) - options.heartbeatTicks;
}

/** No news: this follower's whole log was acknowledged before, and is committed. */
export function isQuiescedAppend({ log, answered, term }: Server, { entries, previousIndex, commit, round }: MessageOf<'append'>): boolean {
  const nothingNew = entries.length === 0 && previousIndex === log.lastIndex && commit === log.commit && log.commit === log.lastIndex;
  return nothingNew && answered.term === term && answered.match >= log.lastIndex && answered.round >= round;
}

export function receivedAppend(server: Server, isQuiesced: boolean): void {
  server.extension = isQuiesced ? extensionOf(server.options) : 0;
  server.lastContact = { ...server.lastContact, since: server.now + server.extension };
}

/** This follower needs an immediate answer of its leader. */
export function dropExtension(server: Server): void {
  if (server.leadership !== null) return;
  const left = leftOfExtension(server.extension, server.electionElapsed, server.options);
  if (left === server.extension) return;
  server.lastContact = { ...server.lastContact, since: server.lastContact.since - (server.extension - left) };
  server.extension = left;
}

/** Replies to a quiesced message come with the next one, to others at once. */
export function sentAppend(
  server: Server,
  leadership: Leadership,
  { isQuiesced, heardAt }: { readonly isQuiesced: boolean; readonly heardAt: number },
): void {
  leadership.quiesced = isQuiesced;
  if (isQuiesced) leadership.extension = extensionOf(server.options);
  else leadership.extension = leftOfExtension(leadership.extension, server.now - heardAt, server.options);
}

/** The last message counts as at most a usual heartbeat old. */
function leftOfExtension(extension: number, elapsed: number, options: CoreOptions): number {
  return Math.min(extension, Math.max(0, elapsed - options.heartbeatTicks));
}
