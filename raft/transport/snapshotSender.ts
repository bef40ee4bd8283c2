import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { failPoint } from '../failPoints.js';
import { ByteReader, ByteWriter, DecodeError } from './bytes.js';
import type { Connection } from './connection.js';
import type { OnSnapshotProgress, SnapshotAnnouncement } from './contract.js';
import { dial } from './dial.js';
import type { DialOptions } from './dial.js';
import { writeMessage } from './encoding.js';
import { frameKinds, writeFrame } from './frames.js';
import { transportLimits } from './limits.js';
import { errorText } from '../errorText.js';

export interface SnapshotFile {
  readonly announcement: SnapshotAnnouncement;
  readonly path: string;
  /** Gives up. */
  readonly signal: AbortSignal;
  readonly onProgress: OnSnapshotProgress | undefined;
}

/** Uses a separate connection, so that it never delays a heartbeat. Resolves once the peer has the file with the same checksum. */
export async function sendSnapshotFile(options: DialOptions, { announcement, path, signal, onProgress }: SnapshotFile): Promise<void> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    await new Promise<void>((resolve, reject) => {
      const abort = (): void => connection.close('given up');
      const connection: Connection = dial(options, {
        onWelcome: () => {
          progress(connection);
          stream(connection, file, { size, announcement, onProgress }).catch((error: unknown) => connection.close(errorText(error)));
        },
        onFrame: (kind, payload) => {
          if (kind !== frameKinds.snapshotDone) throw new DecodeError(`frame ${kind} instead of the end of a snapshot`);
          const failure = new ByteReader(payload).string();
          if (failure === '') resolve();
          connection.close(failure === '' ? 'done' : failure);
        },
        onClose: (reason) => {
          signal.removeEventListener('abort', abort);
          reject(new Error(reason));
        },
      });
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
    });
  } finally {
    await file.close();
  }
}

async function stream(
  connection: Connection,
  file: FileHandle,
  { size, announcement, onProgress }: Pick<SnapshotFile, 'announcement' | 'onProgress'> & { readonly size: number },
): Promise<void> {
  const hash = createHash('sha256');
  await write(connection, frameKinds.snapshotStart, (writer) => {
    writer.uint(size);
    writeMessage(writer, announcement);
  });
  for (let at = 0; at < size;) {
    const { buffer, bytesRead } = await file.read(
      Buffer.allocUnsafe(transportLimits.snapshotChunkBytes),
      0,
      transportLimits.snapshotChunkBytes,
      at,
    );
    if (bytesRead === 0) throw new Error('the snapshot file became shorter');
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    await write(connection, frameKinds.snapshotChunk, (writer) => writer.raw(chunk));
    failPoint?.('snapshot.sending');
    at += bytesRead;
    onProgress?.(at, size);
  }
  await write(connection, frameKinds.snapshotEnd, (writer) => writer.bytes(hash.digest()));
  failPoint?.('snapshot.sent');
}

async function write(
  connection: Connection,
  kind: (typeof frameKinds)[keyof typeof frameKinds],
  payload: (writer: ByteWriter) => void,
): Promise<void> {
  if (connection.closed) throw new Error('connection closed');
  const writer = new ByteWriter();
  writeFrame(writer, kind, payload);
  if (!connection.write(writer.take())) await drained(connection);
  progress(connection);
}

function drained({ socket }: Connection): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.on('drain', done).on('close', done);
  });
}

function progress(connection: Connection): void {
  connection.setDeadline(transportLimits.snapshotSilentMs, 'the snapshot made no progress');
}
