import type { Readable } from 'node:stream';
import { openWatchEvent } from '../../workers/codecs/protobuf/watchEvent.js';
import type { Watch, WatchEvent } from './api.js';
import { decodeJson, decodeProtobuf, exactOnly } from './encoding.js';
import { ConnectionError, UnreadableError } from './errors.js';
import type { KubeObject } from '../../api/meta/object.js';

/** An event with one object; servers keep objects below 3 MiB. */
const eventBytesMax = 16 * 1024 * 1024;
const newline = 0x0a;
/** Length of the big-endian size before each Protobuf event. */
const lengthBytes = 4;

/** The extent of the next event or, when incomplete, the least number of bytes for the next check. */
type Cut = { readonly from: number; readonly to: number } | { readonly need: number };

interface Framing {
  cut(bytes: Buffer, start: number): Cut;
  /** Returns whether `chunk`, which brings an event to `bytes` bytes, may complete it. */
  mayEnd(chunk: Buffer, event: { readonly bytes: number; readonly need: number }): boolean;
  /** Bytes between an event and the next. */
  readonly gap: number;
  decode(event: Buffer, exactMember: string | undefined): WatchEvent<KubeObject>;
}

const lines: Framing = {
  cut(bytes, start) {
    const end = bytes.indexOf(newline, start);
    return end < 0 ? { need: bytes.length - start + 1 } : { from: start, to: end };
  },
  mayEnd: (chunk) => chunk.includes(newline),
  gap: 1,
  decode: (event, exactMember) => decodeJson(event, exactMember) as WatchEvent<KubeObject>,
};

const lengthDelimited: Framing = {
  cut(bytes, start) {
    if (bytes.length - start < lengthBytes) return { need: lengthBytes };
    const end = start + lengthBytes + bytes.readUInt32BE(start);
    return end > bytes.length ? { need: end - start } : { from: start + lengthBytes, to: end };
  },
  mayEnd: (_, { bytes, need }) => bytes >= need,
  gap: 0,
  decode(event, exactMember) {
    const opened = openWatchEvent(event);
    if (!opened.ok) throw new UnreadableError(`an event of a watch cannot be read: ${opened.message}`);
    return { type: opened.type, object: decodeProtobuf(opened.object, exactMember) } as WatchEvent<KubeObject>;
  },
};

export class StreamWatch<T extends KubeObject> implements Watch<T> {
  readonly #stream: Readable & { close?: () => void };
  readonly #inProtobuf: boolean;
  /** See `exactMemberOf`. */
  readonly #exactMember: string | undefined;

  constructor(
    stream: Readable & { close?: () => void },
    inProtobuf = false,

    exactMember?: string,
  ) {
    this.#stream = stream;
    this.#inProtobuf = inProtobuf;
    this.#exactMember = exactMember;
  }

  close(): void {
    if (this.#stream.close) this.#stream.close();
    else this.#stream.destroy();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<WatchEvent<T>> {
    const framing = this.#inProtobuf ? lengthDelimited : lines;
    let waiting: Buffer[] = [];
    let waitingBytes = 0;
    let need = 1;
    try {
      for await (const chunk of this.#stream as AsyncIterable<Buffer>) {
        waiting.push(chunk);
        waitingBytes += chunk.length;
        if (framing.mayEnd(chunk, { bytes: waitingBytes, need })) {
          const bytes = waiting.length === 1 ? chunk : Buffer.concat(waiting);
          let start = 0;
          let cut = framing.cut(bytes, start);
          for (; 'to' in cut; cut = framing.cut(bytes, start)) {
            if (cut.to > cut.from) yield this.#read(framing.decode(bytes.subarray(cut.from, cut.to), this.#exactMember));
            start = cut.to + framing.gap;
          }
          waiting = start < bytes.length ? [bytes.subarray(start)] : [];
          waitingBytes = bytes.length - start;
          need = cut.need;
        }
        if (Math.max(waitingBytes, need) > eventBytesMax) throw new ConnectionError('an event of a watch is too long', false);
      }
    } finally {
      this.close();
    }
  }

  #read(event: WatchEvent<KubeObject>): WatchEvent<T> {
    const exactMember = this.#exactMember;
    return (exactMember === undefined ? event : { ...event, object: exactOnly(event.object, exactMember) }) as WatchEvent<T>;
  }
}
