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
    labelNames: ['apiserver_id_hash', 'jwt_issuer_hash', 'result'],
    registers: [registry],
  });
  const info = new Gauge({
    name: `${prefix}_key_set_info`,
    help: 'The hash of the keys of an issuer of tokens.',
    labelNames: ['apiserver_id_hash', 'hash', 'jwt_issuer_hash'],
    registers: [registry],
  });
  const known = new Map<string, string>();
  const apiserver_id_hash = hashLabel(server);
  // The order is that of label names, as in the reference.
  const of = (issuer: string): IssuerLabels => ({ apiserver_id_hash, jwt_issuer_hash: hashLabel(issuer) });
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
      info.set({ apiserver_id_hash, hash: content, jwt_issuer_hash: hashLabel(issuer) }, 1);
      last.set({ ...of(issuer), result: 'success' }, Date.now() / 1000);
    },
    failed: (issuer) => {
      last.set({ ...of(issuer), result: 'failure' }, Date.now() / 1000);
    },
    forgotten: (issuer) => {
      forgetSet(issuer);
      for (const result of ['success', 'failure']) last.remove({ ...of(issuer), result });
    },
  };
}
