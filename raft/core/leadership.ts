import type { LogIndex, MemberId, Membership } from '../types.js';
import type { Progress } from './progress.js';

export class Leadership {
  readonly peers = new Map<MemberId, Progress>();
  heartbeatElapsed = 0;
  heartbeatDue = true;
  /** The last broadcast had no news, so the next may take longer. See `calm.ts`. */
  calm = false;
  /** Ticks by which replies may therefore be late. */
  patience = 0;
  round = 0;
  transfer: { readonly to: MemberId; readonly since: number } | null = null;

  /** `firstIndex` is the leadership's first entry; once it is committed, so is everything before it (Raft, section 8). */
  constructor(readonly firstIndex: LogIndex) {}

  setPeers(membership: Membership, self: MemberId, create: (id: MemberId) => Progress): void {
    const ids = membership.members.map((member) => member.id).filter((id) => id !== self);
    for (const id of this.peers.keys()) if (!ids.includes(id)) this.peers.delete(id);
    for (const id of ids) if (!this.peers.has(id)) this.peers.set(id, create(id));
  }
}
