import type { Condition } from '../../api/meta/object.js';
import { timeText } from '../../api/time.js';

export interface Findings {
  readonly discoveryFailures: readonly string[];
  readonly deletionFailures: readonly string[];
  readonly remaining: ReadonlyMap<string, number>;
  readonly finalizers: ReadonlyMap<string, number>;
}

interface Verdict {
  readonly type: string;
  readonly bad: { readonly reason: string; readonly message: string } | null;
  readonly good: { readonly reason: string; readonly message: string };
}

/** Returns the five conditions of a terminating namespace, in the reference's order and words. Pure. */
function verdicts({ discoveryFailures, deletionFailures, remaining, finalizers }: Findings): readonly Verdict[] {
  const counted = (counts: ReadonlyMap<string, number>, words: (name: string, count: number) => string): string =>
    [...counts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, count]) => words(name, count))
      .join(', ');
  return [
    {
      type: 'NamespaceDeletionDiscoveryFailure',
      good: { reason: 'ResourcesDiscovered', message: 'All resources successfully discovered' },
      bad:
        discoveryFailures.length > 0
          ? {
              reason: 'DiscoveryFailed',
              message: `Discovery failed for some groups, ${discoveryFailures.length} failing: ${discoveryFailures.join(', ')}`,
            }
          : null,
    },
    {
      type: 'NamespaceDeletionGroupVersionParsingFailure',
      good: { reason: 'ParsedGroupVersions', message: 'All legacy kube types successfully parsed' },
      bad: null,
    },
    {
      type: 'NamespaceDeletionContentFailure',
      good: { reason: 'ContentDeleted', message: 'All content successfully deleted, may be waiting on finalization' },
      bad:
        deletionFailures.length > 0
          ? {
              reason: 'ContentDeletionFailed',
              message: `Failed to delete all resource types, ${deletionFailures.length} remaining: ${[...deletionFailures].sort().join(', ')}`,
            }
          : null,
    },
    {
      type: 'NamespaceContentRemaining',
      good: { reason: 'ContentRemoved', message: 'All content successfully removed' },
      bad:
        remaining.size > 0
          ? {
              reason: 'SomeResourcesRemain',
              message: `Some resources are remaining: ${counted(remaining, (name, count) => `${name} has ${count} resource instances`)}`,
            }
          : null,
    },
    {
      type: 'NamespaceFinalizersRemaining',
      good: { reason: 'ContentHasNoFinalizers', message: 'All content-preserving finalizers finished' },
      bad:
        finalizers.size > 0
          ? {
              reason: 'SomeFinalizersRemain',
              message: `Some content in the namespace has finalizers remaining: ${counted(finalizers, (name, count) => `${name} in ${count} resource instances`)}`,
            }
          : null,
    },
  ];
}

/** Returns the conditions after an attempt, or null if unchanged. Pure. */
export function deletionConditions(before: readonly Condition[], findings: Findings, now: number): readonly Condition[] | null {
  const after = [...before];
  let changed = false;
  for (const { type, bad, good } of verdicts(findings)) {
    const wanted = { type, status: bad ? 'True' : 'False', ...(bad ?? good) };
    const at = after.findIndex((condition) => condition.type === type);
    const old = after[at];
    if (old && old.status === wanted.status && old.reason === wanted.reason && old.message === wanted.message) continue;
    const since = old && old.status === wanted.status && old.lastTransitionTime ? old.lastTransitionTime : timeText(now);
    after.splice(at < 0 ? after.length : at, at < 0 ? 0 : 1, { ...wanted, lastTransitionTime: since });
    changed = true;
  }
  return changed ? after : null;
}
