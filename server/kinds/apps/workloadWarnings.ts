import { dnsLabelName, hasNewGeneration, memberAt, Path, type ApiObject } from '../language.js';
import { templateWarnings } from '../core/podSpec/warnings/template.js';

/** A name that is not a DNS label is mangled in host names. */
export function podNameWarnings(workload: ApiObject): string[] {
  const problems = dnsLabelName(workload.metadata.name ?? '', false);
  return problems.length === 0
    ? []
    : [
        `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${problems.join(' ')}]`,
      ];
}

/** Warns about the name on create, and about the template when it may have changed. */
export const workloadWarnings = (workload: ApiObject, old: ApiObject | null): string[] => [
  ...(old === null ? podNameWarnings(workload) : []),
  ...(hasNewGeneration(workload, old) ? templateWarnings(memberAt(workload, 'spec', 'template'), Path.of('spec', 'template')) : []),
];
