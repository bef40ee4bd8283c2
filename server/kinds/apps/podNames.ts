import type { ApiObject } from '../../api/object.js';
import { dnsLabelName } from '../../registry/validation/names.js';

/** Pods are named after the workload, and their names become host names: what is not a DNS label gets mangled there. */
export function podNameWarnings(workload: ApiObject): string[] {
  const complaints = dnsLabelName(workload.metadata.name ?? '', false);
  return complaints.length === 0
    ? []
    : [
        `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${complaints.join(' ')}]`,
      ];
}
