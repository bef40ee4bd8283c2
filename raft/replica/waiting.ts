import type { BarrierOutcome, ReplicaOptions, ReplicaStatus, SpaceStatus } from '../replicaApi.js';
import type { StoreToRead } from '../store/store.js';
import { clusterIdOf } from '../transport/handshake.js';
import type { Revision } from '../types.js';
import { CountedDurations } from './countedDurations.js';
import { Figures } from './figures.js';
import type { ProposeRequest, RequestReceiver } from './port.js';
import type { ReplicaSink } from './sink.js';

export interface WaitingParts {
  readonly options: ReplicaOptions;
  readonly store: StoreToRead;
  readonly sink: ReplicaSink;
  readonly reason: string;
  readonly delivered: Revision;
  readonly isCurrent: boolean;
  readonly space: () => SpaceStatus;
}

/** A replica with a full disk takes no part in its cluster. A sole member's reads stay current. */
export class WaitingReplica implements Omit<RequestReceiver, 'stop'> {
  readonly #parts: WaitingParts;

  constructor(parts: WaitingParts) {
    this.#parts = parts;
  }

  /** Another member may take the write; a sole member has no alternative. */
  propose({ sequence }: ProposeRequest): void {
    const { sink, reason, store } = this.#parts;
    const isAlone = store.membership.members.length <= 1;
    sink.written(sequence, { outcome: isAlone ? 'noSpace' : 'unavailable', reason });
    sink.flush();
  }

  barrier(id: number): void {
    this.#parts.sink.barrier(id, this.#barrierOutcome);
    this.#parts.sink.flush();
  }

  range(...[id, options]: Parameters<RequestReceiver['range']>): void {
    this.#parts.sink.range(id, this.#parts.store.range(options));
    this.#parts.sink.flush();
  }

  changesSince(...[id, after, bytesMax]: Parameters<RequestReceiver['changesSince']>): void {
    this.#parts.sink.changesSince(id, this.#parts.store.changesSince(after, bytesMax));
    this.#parts.sink.flush();
  }

  status(id: number): void {
    this.#parts.sink.status(id, this.#status);
    this.#parts.sink.flush();
  }

  transferLeadership(id: number): void {
    this.#parts.sink.done(id);
    this.#parts.sink.flush();
  }

  changeMembership(id: number): void {
    this.#parts.sink.membership(id, { outcome: 'unavailable', reason: this.#parts.reason });
    this.#parts.sink.flush();
  }

  snapshot(id: number): void {
    this.#parts.sink.snapshot(id, { outcome: 'failed', reason: this.#parts.reason });
    this.#parts.sink.flush();
  }

  close(): void {
    this.#parts.store.close();
  }

  get #barrierOutcome(): BarrierOutcome {
    const { isCurrent, delivered, reason } = this.#parts;
    return isCurrent ? { outcome: 'reached', revision: delivered } : { outcome: 'unavailable', reason };
  }

  get #status(): ReplicaStatus {
    const { options, delivered, space } = this.#parts;
    const { appliedIndex, appliedTerm, compactedRevision, membership } = this.#parts.store;
    return {
      clusterId: clusterIdOf(options.clusterToken),
      memberId: options.memberId,
      leaderId: null,
      role: 'follower',
      term: appliedTerm,
      commitIndex: appliedIndex,
      appliedIndex,
      firstIndex: appliedIndex,
      lastIndex: appliedIndex,
      revision: delivered,
      compactedRevision,
      members: membership.members.map((member) => ({ ...member, progress: null })),
      electionTimeoutMs: options.electionTimeoutMs,
      leaderSilence: new CountedDurations([]).describe(),
      space: space(),
      figures: new Figures(0).describe(0, 0),
      peers: [],
    };
  }
}
