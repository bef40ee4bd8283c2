import { randomBytes } from 'node:crypto';

/** Which trace a piece of work belongs to, and which piece it is, as the W3C's `traceparent` says it. */
export interface TraceContext {
  /** 16 bytes in hexadecimal digits. */
  readonly traceId: string;
  /** 8 bytes in hexadecimal digits. */
  readonly spanId: string;
  readonly sampled: boolean;
  /** What others want to be handed on (`tracestate`); empty for nothing. */
  readonly state: string;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const sampled = 1;
const stateCharactersMax = 512;

/** Reads both headers; null where there is no usable `traceparent`. Later versions may say more, and begin the same. */
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

/** Whether a trace that begins here is kept: always the same for one trace, so that all who keep this share of traces keep the same ones. Pure. */
export const isSampled = (traceId: string, ratePerMillion: number): boolean =>
  Number.parseInt(traceId.slice(-8), 16) < (ratePerMillion / 1_000_000) * parts;
