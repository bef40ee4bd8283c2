import { Gauge, type Registry } from 'prom-client';
import type { FetchCounts } from './keys.js';
import { hashLabel } from '../../../program/metrics/hashLabel.js';

type IssuerLabels = Readonly<Record<'jwt_issuer_hash' | 'apiserver_id_hash', string>>;

/** The names are the reference's. `server` distinguishes replicas. */
export function createFetchMetrics(registry: Registry, server: string): FetchCounts {
  const prefix = 'apiserver_authentication_jwt_authenticator_jwks_fetch_last';
  const last = new Gauge({
    name: `${prefix}_timestamp_seconds`,
    help: 'When keys of an issuer of tokens were last asked for, in seconds since 1970, by outcome.',
    labelNames: ['result', 'jwt_issuer_hash', 'apiserver_id_hash'],
    registers: [registry],
  });
  const info = new Gauge({
    name: `${prefix}_key_set_info`,
    help: 'The hash of the keys of an issuer of tokens.',
    labelNames: ['jwt_issuer_hash', 'apiserver_id_hash', 'hash'],
    registers: [registry],
  });
  const known = new Map<string, string>();
  const apiserver_id_hash = hashLabel(server);
  const of = (issuer: string): IssuerLabels => ({ jwt_issuer_hash: hashLabel(issuer), apiserver_id_hash });
  const forgetSet = (issuer: string): void => {
    const before = known.get(issuer);
    if (before !== undefined) info.remove({ ...of(issuer), hash: before });
    known.delete(issuer);
  };
  return {
    fetched: (issuer, keySet) => {
      forgetSet(issuer);
      const content = hashLabel(keySet);
      known.set(issuer, content);
      info.set({ ...of(issuer), hash: content }, 1);
      last.set({ result: 'success', ...of(issuer) }, Date.now() / 1000);
    },
    failed: (issuer) => {
      last.set({ result: 'failure', ...of(issuer) }, Date.now() / 1000);
    },
    forgotten: (issuer) => {
      forgetSet(issuer);
      for (const result of ['success', 'failure']) last.remove({ result, ...of(issuer) });
    },
  };
}
