import type { Log } from '../transport/contract.js';
import { AnswerWriter } from './port.js';
import type { ReplicaSink } from './sink.js';

/** More bytes of answers are sent before the end of a round. */
export const answersBytesMax = 4 * 1024 * 1024;

type SmallAnswers = Pick<ReplicaSink, 'written' | 'barrier' | 'status' | 'membership' | 'snapshot' | 'done'>;

/** They wait for the end of the round. */
const smallAnswers = (writer: AnswerWriter): SmallAnswers => ({
  written: (sequence, outcome) => writer.written(sequence, outcome),
  barrier: (id, outcome) => writer.barrier(id, outcome),
  status: (id, status) => writer.status(id, status),
  membership: (id, outcome) => writer.membership(id, outcome),
  snapshot: (id, outcome) => writer.snapshot(id, outcome),
  done: (id) => writer.done(id),
});

/** `onFailed` is called after the failure was reported. */
export function createPortSink(post: (batch: ArrayBuffer) => void, takenBytes: BigInt64Array, onFailed: () => void): ReplicaSink {
  const writer = new AnswerWriter();
  let posted = 0;
  const flush = (): void => {
    if (writer.length === 0) return;
    const batch = writer.take();
    posted += batch.length;
    post(batch.buffer);
  };
  const log: Log = (level, message, fields = {}) => {
    writer.log({ level, message, fields });
    flush();
  };
  return {
    log,
    flush,
    get unreadBytes() {
      return posted - Number(Atomics.load(takenBytes, 0));
    },
    changes(changes, revision, compacted) {
      writer.changes(changes, revision, compacted);
      if (writer.length > answersBytesMax) flush();
    },
    gap: (revision, { compacted }) => writer.changes([], revision, { compacted, gap: true }),
    ...smallAnswers(writer),
    range(id, result) {
      writer.range(id, result);
      if (writer.length > answersBytesMax) flush();
    },
    changesSince(id, result) {
      writer.changesSince(id, result);
      if (writer.length > answersBytesMax) flush();
    },
    failed(error) {
      writer.failed(error);
      flush();
      onFailed();
    },
  };
}
