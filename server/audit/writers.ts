import type { WebhookClient } from '../webhook/client.js';
import { retry, usualRetrying } from '../webhook/retry.js';
import type { Writer } from './contract.js';
import type { AuditEvent } from './event.js';
import { RotatingFile } from './rotatingFile.js';
import type { Rotation } from './rotatingFile.js';
import { eventJson, eventListJson, legacyLine } from './serialize.js';

export const formats: Readonly<Record<string, (event: AuditEvent) => string>> = { json: eventJson, legacy: legacyLine };

type Line = (event: AuditEvent) => string;

export async function fileWriter(file: string, line: Line, rotation: Rotation): Promise<Writer> {
  const log = await RotatingFile.open(file, rotation);
  return {
    write: (events) => log.write(events.map((event) => `${line(event)}\n`).join('')),
    close: () => log.close(),
  };
}

/** Writes lines to a stream that it does not own, such as standard output. */
export function streamWriter(stream: NodeJS.WritableStream, line: Line): Writer {
  return {
    write: (events) =>
      new Promise((resolve, reject) => {
        stream.write(events.map((event) => `${line(event)}\n`).join(''), (error) => {
          if (error) reject(error);
          else resolve();
        });
      }),
    close: () => Promise.resolve(),
  };
}

const answerTimeoutMs = 30_000;

export function webhookWriter(client: WebhookClient, initialBackoffMs: number): Writer {
  const closed = new AbortController();
  return {
    write: async (events) => {
      const body = eventListJson(events.map(eventJson));
      await retry(
        () => client.post(body, { timeoutMs: answerTimeoutMs, signal: closed.signal }),
        usualRetrying(initialBackoffMs),
        closed.signal,
      );
    },
    close: () => {
      closed.abort(new Error('the server stops'));
      client.close();
      return Promise.resolve();
    },
  };
}
