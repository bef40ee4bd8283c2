import type { Registry } from 'prom-client';
import type { Issue } from './issue.js';
import { totals } from '../../../program/metrics/totals.js';

export function createIssueMetrics(registry: Registry): (issue: Issue) => void {
  const [requested, honored] = (
    [
      ['requested', 'Certificates that were issued to who has said for how long, by signer (of Kubernetes, or other).'],
      ['honored', 'The same, of those that are good for about that long.'],
    ] as const
  ).map(([what, help]) =>
    totals(registry, { name: `apiserver_certificates_registry_csr_${what}_duration_total`, help, labelNames: ['signerName'] }),
  ) as [Totals, Totals];
  return ({ signer, honored: isHonored }) => {
    requested({ signerName: signer }).value++;
    if (isHonored) honored({ signerName: signer }).value++;
  };
}

type Totals = ReturnType<typeof totals<'signerName'>>;
