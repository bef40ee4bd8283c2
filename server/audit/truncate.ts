import type { ReportLoss, Writer } from './contract.js';
import type { AuditEvent } from './event.js';
import { eventJson } from './serialize.js';

export interface Limits {
  readonly maxEventBytes: number;
  readonly maxBatchBytes: number;
}

/** Wraps a writer: too large events lose their bodies, or are dropped if that does not suffice; too large batches are split. */
export function truncating(writer: Writer, { maxEventBytes, maxBatchBytes }: Limits, lost: ReportLoss): Writer {
  return {
    write: async (events) => {
      let batch: AuditEvent[] = [];
      let bytes = 0;
      for (const { event, size } of events.map((whole) => fitted(whole, maxEventBytes))) {
        if (size > maxEventBytes) {
          lost(1, new Error(`an event of ${size} bytes is larger than ${maxEventBytes} even without its bodies`));
          continue;
        }
        if (batch.length > 0 && bytes + size > maxBatchBytes) {
          await writer.write(batch);
          [batch, bytes] = [[], 0];
        }
        batch.push(event);
        bytes += size;
      }
      if (batch.length > 0) await writer.write(batch);
    },
    close: () => writer.close(),
  };
}

function fitted(event: AuditEvent, maxEventBytes: number): { readonly event: AuditEvent; readonly size: number } {
  const size = sizeOf(event);
  if (size <= maxEventBytes) return { event, size };
  const without = {
    ...event,
    requestObject: null,
    responseObject: null,
    annotations: { ...event.annotations, 'audit.k8s.io/truncated': 'true' },
  };
  return { event: without, size: sizeOf(without) };
}

const sizeOf = (event: AuditEvent): number => Buffer.byteLength(eventJson(event));
