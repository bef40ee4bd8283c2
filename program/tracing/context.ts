import { randomBytes } from 'node:crypto';

/** Trace and span of a piece of work, as in the W3C's `traceparent`. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
  /** `tracestate`; empty for none. */
  readonly state: string;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const sampled = 1;
const stateCharactersMax = 512;

/** Later versions may add fields, and begin the same. */
export function parseContext(parent: string | undefined, state: string | undefined): TraceContext | null {
  const [, version, traceId = '', spanId = '', flags = '', more] = form.exec(parent ?? '') ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return {
    traceId,
    spanId,
    sampled: (Number.parseInt(flags, 16) & sampled) === sampled,
    state: state !== undefined && state.length <= stateCharactersMax ? state : '',
  };
}

export const contextHeaders = ({ traceId, spanId, sampled, state }: TraceContext): Readonly<Record<string, string>> => ({
  traceparent: `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`,
  ...(state === '' ? {} : { tracestate: state }),
});

export const newSpanId = (): string => randomBytes(8).toString('hex');
export const newTraceId = (): string => randomBytes(16).toString('hex');

const parts = 2 ** 32;

/** All programs with this rate sample the same traces. */
export const isSampled = (traceId: string, ratePerMillion: number): boolean =>
  Number.parseInt(traceId.slice(-8), 16) < (ratePerMillion / 1_000_000) * parts;
