import type { LogIndex, MemberId, Membership } from '../types.js';
import type { Progress } from './progress.js';

/** What exists only while a server leads, and is forgotten with it. */
export class Leadership {
  readonly peers = new Map<MemberId, Progress>();
  heartbeatElapsed = 0;
  /** The next flush sends to everyone. */
  heartbeatDue = true;
  /** The last word to everybody told that nobody waits for anything: the next one may take longer. See `calm.ts`. */
  calm = false;
  /** Ticks by which answers may be later than usual, for that reason. */
  patience = 0;
  /** The newest read round. */
  round = 0;
  transfer: { readonly to: MemberId; readonly since: number } | null = null;

  /** `firstIndex`: the entry that this leadership began with; once it is committed, so is everything before it (Raft, section 8). */
  constructor(readonly firstIndex: LogIndex) {}

  /** Follows a change of membership: the peers are all other members. */
  setPeers(membership: Membership, self: MemberId, create: (id: MemberId) => Progress): void {
    const ids = membership.members.map((member) => member.id).filter((id) => id !== self);
    for (const id of this.peers.keys()) if (!ids.includes(id)) this.peers.delete(id);
    for (const id of ids) if (!this.peers.has(id)) this.peers.set(id, create(id));
  }
}
