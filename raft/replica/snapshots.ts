import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { StateMachine } from '../store/contract.js';
import type { Log, SnapshotAnnouncement, Transport } from '../transport/contract.js';
import type { SnapshotOutcome } from '../replicaApi.js';
import type { LogIndex, MemberId, SnapshotMeta } from '../types.js';
import type { Space } from './space.js';
import { errorText } from '../errorText.js';

export interface SnapshotOptions {
  readonly directory: string;
  readonly store: StateMachine;
  readonly transport: () => Transport;
  readonly log: Log;
  readonly space: Pick<Space, 'reading' | 'reserveBytes'>;
  readonly onSent: (to: MemberId, ok: boolean) => void;
}

/** `bytes` is null while the store is still being copied. */
export interface SnapshotUnderWay {
  readonly to: MemberId;
  readonly sentBytes: number;
  readonly bytes: number | null;
}

interface Arrived {
  readonly meta: SnapshotMeta;
  readonly path: string;
}

/** Sends one at a time, since each costs a copy of the store. */
export class Snapshots {
  readonly #options: SnapshotOptions;
  #made = 0;
  #sending: Promise<void> | null = null;
  #held: LogIndex | null = null;
  #underWay: SnapshotUnderWay | null = null;
  #copying = false;
  #arrived: Arrived[] = [];

  constructor(options: SnapshotOptions) {
    this.#options = options;
  }

  get held(): LogIndex | null {
    return this.#held;
  }

  get underWay(): SnapshotUnderWay | null {
    return this.#underWay;
  }

  get copying(): boolean {
    return this.#copying;
  }

  /** Fails if another one is in progress; the core asks again. */
  send(announcement: SnapshotAnnouncement): void {
    if (this.#sending !== null) {
      this.#options.onSent(announcement.to, false);
      return;
    }
    this.#held = announcement.snapshot.index;
    this.#underWay = { to: announcement.to, sentBytes: 0, bytes: null };
    this.#sending = this.#copyAndSend(announcement).then((ok) => {
      this.#sending = null;
      this.#held = null;
      this.#underWay = null;
      this.#options.onSent(announcement.to, ok);
    });
  }

  async copy(): Promise<SnapshotOutcome> {
    if (this.#sending !== null) return { outcome: 'busy' };
    const made = this.#copyForOperator();
    this.#sending = made.then(() => {
      this.#sending = null;
    });
    return made;
  }

  arrived(meta: SnapshotMeta, path: string): void {
    this.#arrived.push({ meta, path });
  }

  take(meta: SnapshotMeta): string {
    const at = this.#arrived.findIndex((arrived) => arrived.meta.index === meta.index && arrived.meta.term === meta.term);
    const [taken] = at === -1 ? [] : this.#arrived.splice(at, 1);
    if (taken === undefined) throw new Error(`snapshot ${meta.index} is to be installed, but did not arrive`);
    return taken.path;
  }

  discardArrived(): void {
    for (const { path } of this.#arrived.splice(0)) void rm(path, { force: true }).catch(() => undefined);
  }

  async settled(): Promise<void> {
    await this.#sending;
  }

  async #copyTo(path: string): Promise<SnapshotMeta> {
    this.#checkRoom();
    this.#copying = true;
    try {
      return await this.#options.store.snapshotTo(path);
    } finally {
      this.#copying = false;
    }
  }

  #checkRoom(): void {
    const { reading, reserveBytes } = this.#options.space;
    const room = Math.max(0, reading.freeBytes - reserveBytes);
    if (reading.storeBytes > room)
      throw new Error(`a copy of ${reading.storeBytes} bytes does not fit on the disk, where ${room} bytes may be used`);
  }

  async #copyForOperator(): Promise<SnapshotOutcome> {
    const { directory, store } = this.#options;
    this.#made += 1;
    const path = join(directory, `copy-${this.#made}.snapshot`);
    try {
      const { revision } = store;
      return { outcome: 'made', path, index: (await this.#copyTo(path)).index, revision };
    } catch (error) {
      return { outcome: 'failed', reason: errorText(error) };
    }
  }

  async #copyAndSend(announcement: SnapshotAnnouncement): Promise<boolean> {
    const { directory, transport, log } = this.#options;
    this.#made += 1;
    const path = join(directory, `outgoing-${this.#made}.snapshot`);
    try {
      const snapshot = await this.#copyTo(path);
      log('info', 'sending a snapshot', { peer: announcement.to, index: snapshot.index });
      return await transport().sendSnapshot(announcement.to, { ...announcement, snapshot }, path, (sentBytes, bytes) => {
        this.#underWay = { to: announcement.to, sentBytes, bytes };
      });
    } catch (error) {
      log('warn', 'a snapshot could not be made', {
        peer: announcement.to,
        reason: errorText(error),
      });
      return false;
    } finally {
      await rm(path, { force: true }).catch(() => undefined);
    }
  }
}
