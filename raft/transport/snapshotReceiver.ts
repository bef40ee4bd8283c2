import { createHash } from 'node:crypto';
import { open, rm, statfs } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { failPoint } from '../failPoints.js';
import type { MemberId } from '../types.js';
import { ByteReader, ByteWriter, DecodeError } from './bytes.js';
import type { Connection } from './connection.js';
import type { SnapshotAnnouncement } from './contract.js';
import { readMessage } from './encoding.js';
import { frameKinds, writeFrame } from './frames.js';
import { transportLimits } from './limits.js';
import { errorText } from '../errorText.js';

let received = 0;

/** Such files are garbage after a restart. */
const incomingPrefix = 'incoming-';

export interface SnapshotReceiverOptions {
  readonly connection: Connection;
  readonly from: MemberId;
  readonly to: MemberId;
  readonly directory: string;
  readonly reserveOf: (fileSystemBytes: number) => number;
  readonly onSnapshot: (announcement: SnapshotAnnouncement, path: string) => void;
}

/** Pauses the socket while too many writes wait. Removes a file with a wrong size or checksum. */
export class SnapshotReceiver {
  readonly #options: SnapshotReceiverOptions;
  readonly #path: string;
  readonly #hash = createHash('sha256');
  #announcement: SnapshotAnnouncement | null = null;
  #size = 0;
  #arrivedBytes = 0;
  #unwrittenBytes = 0;
  #file: FileHandle | null = null;
  #handedOver = false;
  #work: Promise<void> = Promise.resolve();

  constructor(options: SnapshotReceiverOptions) {
    this.#options = options;
    received += 1;
    this.#path = join(options.directory, `${incomingPrefix}${process.pid}-${received}.snapshot`);
  }

  frame(kind: number, payload: Buffer): void {
    this.#options.connection.setDeadline(transportLimits.snapshotSilentMs, 'the snapshot made no progress');
    if (kind === frameKinds.snapshotStart && this.#announcement === null) this.#start(new ByteReader(payload));
    else if (kind === frameKinds.snapshotChunk && this.#announcement !== null) this.#chunk(payload);
    else if (kind === frameKinds.snapshotEnd && this.#announcement !== null) this.#end(this.#announcement, new ByteReader(payload).bytes());
    else throw new DecodeError(`frame ${kind} at this point of a snapshot`);
  }

  async abandon(): Promise<void> {
    await this.#work;
    await this.#file?.close();
    this.#file = null;
    if (!this.#handedOver) await rm(this.#path, { force: true });
  }

  #start(reader: ByteReader): void {
    this.#size = reader.uint();
    const message = readMessage(reader, this.#options.from, this.#options.to);
    if (message.type !== 'installSnapshot') throw new DecodeError(`a snapshot was announced by ${message.type}`);
    this.#announcement = message;
    this.#then(async () => {
      await this.#checkRoom();
      this.#file = await open(this.#path, 'wx');
    });
  }

  /** A full disk would end this replica. */
  async #checkRoom(): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(this.#options.directory);
    const room = bavail * bsize - this.#options.reserveOf(blocks * bsize);
    if (this.#size > room)
      throw new Error(`a snapshot of ${this.#size} bytes does not fit on the disk, where ${Math.max(0, room)} bytes may be used`);
  }

  #chunk(chunk: Buffer): void {
    this.#arrivedBytes += chunk.length;
    this.#unwrittenBytes += chunk.length;
    if (this.#arrivedBytes > this.#size) throw new DecodeError('more bytes of a snapshot than were announced');
    const socket = this.#options.connection.socket;
    if (this.#unwrittenBytes > transportLimits.snapshotUnwrittenBytesMax) socket.pause();
    this.#then(async () => {
      this.#hash.update(chunk);
      for (let written = 0; written < chunk.length;) written += (await (this.#file as FileHandle).write(chunk, written)).bytesWritten;
      failPoint?.('snapshot.receiving');
      this.#unwrittenBytes -= chunk.length;
      if (this.#unwrittenBytes <= transportLimits.snapshotUnwrittenBytesMax) socket.resume();
    });
  }

  #end(announcement: SnapshotAnnouncement, checksum: Buffer): void {
    this.#then(async () => {
      await this.#file?.close();
      this.#file = null;
      if (this.#arrivedBytes !== this.#size || !this.#hash.digest().equals(checksum))
        throw new Error('size or checksum of the snapshot differ');
      failPoint?.('snapshot.received');
      if (this.#options.connection.closed) return;
      this.#handedOver = true;
      this.#options.onSnapshot(announcement, this.#path);
      this.#finish('');
    });
  }

  #then(step: () => Promise<void>): void {
    this.#work = this.#work.then(async () => {
      if (this.#options.connection.closed) return;
      try {
        await step();
      } catch (error) {
        this.#finish(errorText(error));
      }
    });
  }

  #finish(failure: string): void {
    const writer = new ByteWriter();
    writeFrame(writer, frameKinds.snapshotDone, () => writer.string(failure));
    this.#options.connection.close(failure === '' ? 'snapshot received' : failure, writer.take());
  }
}
