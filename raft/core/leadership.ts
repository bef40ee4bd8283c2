import type { LogIndex, MemberId, Membership } from '../types.js';
import type { Progress } from './progress.js';

export class Leadership {
  readonly peers = new Map<MemberId, Progress>();
  heartbeatElapsed = 0;
  heartbeatDue = true;
  /** See `quiescence.ts`. */
  quiesced = false;
  extension = 0;
  round = 0;
  transfer: { readonly to: MemberId; readonly since: number } | null = null;

  /** Once `firstIndex` is committed, so is everything before it (Raft, section 8). */
  constructor(readonly firstIndex: LogIndex) {}

  setPeers(membership: Membership, self: MemberId, create: (id: MemberId) => Progress): void {
    const ids = membership.members.map((member) => member.id).filter((id) => id !== self);
    for (const id of this.peers.keys()) if (!ids.includes(id)) this.peers.delete(id);
    for (const id of ids) if (!this.peers.has(id)) this.peers.set(id, create(id));
  }
}
