import type { Readable } from 'node:stream';
import type { Watch, WatchEvent } from './api.js';
import { ConnectionError } from './errors.js';
import type { KubeObject } from './object.js';

/** A line is one event with one object; servers keep objects below 3 MiB. */
const lineBytesMax = 16 * 1024 * 1024;
const newline = 0x0a;

/** Events of a watch from its body: one JSON document a line. */
export class JsonWatch<T extends KubeObject> implements Watch<T> {
  constructor(private readonly stream: Readable & { close?: () => void }) {}

  close(): void {
    if (this.stream.close) this.stream.close();
    else this.stream.destroy();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<WatchEvent<T>> {
    let rest: Buffer[] = [];
    let restBytes = 0;
    try {
      for await (const chunk of this.stream as AsyncIterable<Buffer>) {
        let start = 0;
        for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
          const line = Buffer.concat([...rest, chunk.subarray(start, end)]);
          rest = [];
          restBytes = 0;
          start = end + 1;
          if (line.length > 0) yield JSON.parse(line.toString('utf8')) as WatchEvent<T>;
        }
        if (start < chunk.length) {
          rest.push(chunk.subarray(start));
          restBytes += chunk.length - start;
          if (restBytes > lineBytesMax) throw new ConnectionError('an event of a watch is too long', false);
        }
      }
    } finally {
      this.close();
    }
  }
}
