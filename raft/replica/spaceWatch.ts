import type { Core } from '../core/contract.js';
import { votersOf } from '../core/membership.js';
import { quorumSize } from '../core/quorum.js';
import type { SpaceLevel, SpaceStatus, SpaceUse, WriteOutcome } from '../replicaApi.js';
import type { Log, Transport } from '../transport/contract.js';
import type { MemberId } from '../types.js';
import { allows, isBelow, spaceLevels } from './space.js';
import type { Space } from './space.js';

export interface SpaceWatchParts {
  readonly space: Space;
  readonly core: Pick<Core, 'id' | 'role' | 'membership' | 'progress' | 'transferLeadership'>;
  readonly transport: () => Pick<Transport, 'tellSpace'>;
  readonly isConnected: (peer: MemberId) => boolean;
  readonly log: Log;
}

const handOverMs = 1_500;

const mebibytes = (bytes: number): string => `${Math.floor(bytes / 1024 / 1024)} MiB`;

/**
 * Acts on the room of this replica and its peers. The replica that receives a write refuses it before proposing; committed entries are applied regardless.
 * Peers exchange levels (`Transport.tellSpace`), as etcd members raise alarms:
 *
 *  - a write is refused while no majority is known to have room for it, or the store exceeds its quota;
 *  - a leader with less room than another voter hands over to it;
 *  - a replica without any room accepts no entries, and continues to follow without them.
 */
export class SpaceWatch {
  readonly #parts: SpaceWatchParts;
  readonly #peers = new Map<MemberId, SpaceLevel>();
  #announced: SpaceLevel = 'ample';
  #alarm: SpaceStatus['alarm'] = null;
  #handOverFromMs = 0;
  #urgentFromMs = 0;

  constructor(parts: SpaceWatchParts) {
    this.#parts = parts;
  }

  look(nowMs: number, waitingBytes: number): void {
    this.#parts.space.look(nowMs, waitingBytes);
    const { disk } = this.#parts.space;
    if (disk !== this.#announced) {
      if (this.#announced === 'ample') this.#handOverFromMs = nowMs + handOverMs;
      this.#announced = disk;
      this.#parts.transport().tellSpace(spaceLevels.indexOf(disk));
      this.#say(disk === 'ample' ? 'info' : 'warn', 'room on the disk', { level: disk });
    }
    this.#handOver(nowMs);
    this.#raiseOrEnd();
  }

  peerAnnounced(peer: MemberId, code: number): void {
    this.#peers.set(peer, spaceLevels[code] ?? 'ample');
  }

  take(bytes: number): void {
    this.#parts.space.take(bytes);
  }

  get takesEntries(): boolean {
    return this.#parts.space.disk !== 'none';
  }

  refusalOf(use: SpaceUse): Refusal | null {
    const { space, core } = this.#parts;
    if (!allows(space.quota, use))
      return noSpace(`the store holds ${mebibytes(space.reading.storeBytes)}, and its quota is ${mebibytes(space.quotaBytes)}`);
    const short = this.#shortFor(use);
    if (short.length === 0) return null;
    if (this.#voters.length - this.#unfit(use).length < quorumSize(this.#voters.length))
      return noSpace(`too little space is left on the disk of ${short.join(', ')}`);
    // This replica would not learn of a success.
    return space.disk === 'none'
      ? { outcome: 'unavailable', reason: `there is no space on the disk of ${core.id}, and other members have some: try another server` }
      : null;
  }

  describe(): SpaceStatus {
    const { space } = this.#parts;
    const { freeBytes, storeBytes } = space.reading;
    const { reserveBytes, quotaBytes, disk } = space;
    return { freeBytes, reserveBytes, storeBytes, quotaBytes, level: disk, alarm: this.#alarm, shortMembers: this.#shortFor('growing') };
  }

  get #voters(): readonly MemberId[] {
    return votersOf(this.#parts.core.membership);
  }

  #levelOf(member: MemberId): SpaceLevel {
    return member === this.#parts.core.id ? this.#parts.space.disk : (this.#peers.get(member) ?? 'ample');
  }

  #shortFor(use: SpaceUse): readonly MemberId[] {
    return this.#voters.filter((voter) => !allows(this.#levelOf(voter), use));
  }

  #unfit(use: SpaceUse): readonly MemberId[] {
    const { core, isConnected } = this.#parts;
    return this.#voters.filter((voter) => !allows(this.#levelOf(voter), use) || (voter !== core.id && !isConnected(voter)));
  }

  /** Waits for members on the same disk, which notice its state at different times. */
  #handOver(nowMs: number): void {
    const { core, space, isConnected } = this.#parts;
    const isUrgent = isBelow(space.disk, 'low');
    if (core.role !== 'leader' || space.disk === 'ample' || nowMs < (isUrgent ? this.#urgentFromMs : this.#handOverFromMs)) return;
    const better = this.#voters.filter((voter) => voter !== core.id && isConnected(voter) && this.#levelOf(voter) === 'ample');
    const matchOf = (voter: MemberId): number => core.progress()?.get(voter)?.match ?? 0;
    const [target] = [...better].sort((a, b) => matchOf(b) - matchOf(a));
    if (target === undefined) return;
    this.#urgentFromMs = this.#handOverFromMs = nowMs + handOverMs;
    this.#say('info', 'handing over to a member with more room on its disk', { to: target });
    core.transferLeadership(target);
  }

  #raiseOrEnd(): void {
    const refusal = this.refusalOf('growing');
    const alarm = refusal?.outcome !== 'noSpace' ? null : allows(this.#parts.space.quota, 'growing') ? 'disk' : 'quota';
    if (alarm === this.#alarm) return;
    this.#alarm = alarm;
    if (alarm === null || refusal === null) this.#say('info', 'there is room again: creates and updates are taken', {});
    else this.#say('error', 'creates and updates are refused', { alarm, reason: refusal.reason });
  }

  #say(level: 'info' | 'warn' | 'error', message: string, fields: Readonly<Record<string, string>>): void {
    const { freeBytes, reserveBytes, storeBytes, quotaBytes } = this.describe();
    this.#parts.log(level, message, { ...fields, freeBytes, reserveBytes, storeBytes, quotaBytes });
  }
}

type Refusal = Extract<WriteOutcome, { readonly outcome: 'noSpace' | 'unavailable' }>;

const noSpace = (why: string): Refusal => ({
  outcome: 'noSpace',
  reason: `${why}; creates and updates are refused until something is deleted or room is made`,
});
