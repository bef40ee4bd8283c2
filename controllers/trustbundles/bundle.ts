import { createHash } from 'node:crypto';
import { nameOf } from '../../api/meta/object.js';
import type { ClusterTrustBundle } from '../../api/types/certificates/v1beta1.js';

/** The bundle with the authorities of the API server. Pure. */

export const signerName = 'kubernetes.io/kube-apiserver-serving';
const digestBytes = 12;

/** Named by its content: pods with an older one keep it until they see the new one. */
export function bundleOf(authorities: string): ClusterTrustBundle {
  const digest = createHash('sha256')
    .update(authorities)
    .digest('hex')
    .slice(0, digestBytes * 2);
  return { metadata: { name: `${signerName.replaceAll('/', ':')}:${digest}` }, spec: { signerName, trustBundle: authorities } };
}

export interface BundlePlan {
  readonly create: ClusterTrustBundle | null;
  readonly update: ClusterTrustBundle | null;
  readonly remove: readonly ClusterTrustBundle[];
}

export function bundlePlan(authorities: string, present: readonly ClusterTrustBundle[]): BundlePlan {
  const wanted = bundleOf(authorities);
  const own = present.filter(({ spec }) => spec.signerName === signerName);
  const same = own.find((bundle) => nameOf(bundle) === nameOf(wanted));
  return {
    create: same ? null : wanted,
    update: same && same.spec.trustBundle !== authorities ? { ...same, spec: wanted.spec } : null,
    remove: own.filter((bundle) => bundle !== same),
  };
}
