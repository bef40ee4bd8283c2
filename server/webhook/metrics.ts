import type { Registry } from 'prom-client';
import type { CertificateCounts } from './peerCertificates.js';
import { total } from '../../program/metrics/totals.js';

/** Counts of outdated certificates of other programs, by kind of call. */
export interface PeerCertificateMetrics {
  readonly webhooks: CertificateCounts;
  readonly aggregated: CertificateCounts;
}

export function createPeerCertificateMetrics(registry: Registry): PeerCertificateMetrics {
  const family = (prefix: string, whom: string): CertificateCounts => {
    const [missing, weak] = [
      total(registry, `${prefix}_missing_san_total`, `Requests to ${whom} with a certificate that names its server only as a common name.`),
      total(
        registry,
        `${prefix}_insecure_sha1_total`,
        `Requests to ${whom} with a certificate that is signed by means of SHA-1, also refused ones.`,
      ),
    ];
    return {
      missingSan: () => {
        missing.value++;
      },
      insecureSha1: () => {
        weak.value++;
      },
    };
  };
  return {
    webhooks: family('apiserver_webhooks_x509', 'webhooks'),
    aggregated: family('apiserver_kube_aggregator_x509', 'extension servers'),
  };
}
