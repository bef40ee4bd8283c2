import type { KubeObject } from '../../../api/meta/object.js';
import { StatusError } from '../../../api/status.js';
import { isElection } from './call.js';
import { parsedJson } from './gateway.js';

export interface WatchEvent {
  readonly type: string;
  readonly object: KubeObject;
}

/** Splits the body of a watch into its events, one a line. */
export async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of body) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      yield rest.subarray(0, end + 1);
      rest = rest.subarray(end + 1);
    }
  }
  if (rest.length > 0) yield rest;
}

/** Returns null for bookmarks and errors, which have no object, and for locks of elections. */
export function eventOf(line: Buffer): WatchEvent | null {
  const event = parsedJson(line) as Partial<WatchEvent> | null;
  const tells =
    event?.type !== undefined &&
    event.type !== 'BOOKMARK' &&
    event.type !== 'ERROR' &&
    event.object?.metadata !== undefined &&
    !isElection(event.object);
  return tells ? (event as WatchEvent) : null;
}

const expired = new StatusError(410, 'Expired', 'too old resource version').toStatus();

/** The last line of a watch with compacted history: the client must list again. */
export const expiredLine: Buffer = Buffer.from(`${JSON.stringify({ type: 'ERROR', object: expired })}\n`);
