import type { SeenRequest } from './requests.js';

/** The parts that a server measures, in the order in which they happen. */
export const latencyParts = [
  'authentication',
  'impersonation',
  'apf-queue-wait',
  'authorization',
  'request-body',
  'mutating-webhook',
  'validating-webhook',
  'etcd',
  'transform-response-object',
  'serialize-response-object',
  'response-write',
] as const;

export interface Phase {
  readonly part: (typeof latencyParts)[number] | 'rest';
  readonly ms: number;
}

/** Returns the measured parts and the rest; none for streams, which are open most of their time. */
export function phasesOf({ parts, ms, watch }: Pick<SeenRequest, 'parts' | 'ms' | 'watch'>): readonly Phase[] {
  const measured = latencyParts.flatMap((part): Phase[] => {
    const time = parts[part] ?? 0;
    return time > 0 ? [{ part, ms: time }] : [];
  });
  const rest = ms - measured.reduce((sum, phase) => sum + phase.ms, 0);
  return watch || rest <= 0 ? measured : [...measured, { part: 'rest', ms: rest }];
}
