import { Counter, Gauge, type Registry } from 'prom-client';
import { statusNameOf } from '../../../../program/grpc/statusCodes.js';
import { DurationHistogram } from '../../../../program/metrics/durations.js';
import type { PublishedKeys } from './messages.js';

export interface SignerMeasures {
  called(path: string, error: unknown, seconds: number): void;
  signed(error: unknown): void;
  fetched(error: unknown, dataTimestamp: PublishedKeys['dataTimestamp']): void;
}

export const unmeasured: SignerMeasures = { called: () => undefined, signed: () => undefined, fetched: () => undefined };

const codeOf = (error: unknown): string => (error === null ? 'OK' : statusNameOf(error, () => 'Unknown'));

const bounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function createSignerMeasures(registry: Registry): SignerMeasures {
  const registers = [registry];
  const counter = (name: string, help: string): Counter =>
    new Counter({ name: `apiserver_externaljwt_${name}`, help, labelNames: ['code'], registers });
  const time = (name: string, help: string): Gauge =>
    new Gauge({ name: `apiserver_externaljwt_${name}`, help, labelNames: ['none'], registers });
  const fetches = counter('fetch_keys_request_total', 'Times that the signer was asked for its keys, by the code of its answer.');
  const signings = counter('sign_request_total', 'Times that the signer was asked to sign, by the code of its answer.');
  const fetchedAt = time('fetch_keys_success_timestamp', 'Unix time at which the keys were had last, in seconds.');
  const dataAt = time('fetch_keys_data_timestamp', 'Unix time as of which the signer has said its keys, in seconds.');
  const durations = new DurationHistogram({
    name: 'apiserver_externaljwt_request_duration_seconds',
    help: 'Time that the signer took to answer, in seconds, by method and code of the answer.',
    labelNames: ['code', 'method'],
    buckets: bounds,
    registers,
  });
  return {
    called: (method, error, seconds) => durations.of({ code: codeOf(error), method }).observe(seconds),
    signed: (error) => signings.inc({ code: codeOf(error) }),
    fetched(error, dataTimestamp) {
      fetches.inc({ code: codeOf(error) });
      if (error === null) fetchedAt.setToCurrentTime();
      if (dataTimestamp !== null) dataAt.set(Number(dataTimestamp.seconds) + dataTimestamp.nanos / 1e9);
    },
  };
}
