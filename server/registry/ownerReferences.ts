import type { ObjectMeta } from '../api/object.js';
import { likeness, sameValue } from './equality.js';

/** When owners were found to be repeated: in what a client sent, or in what admission made of it. */
type Moment = 'sent' | 'admitted';

const moments: Readonly<Record<Moment, string>> = { sent: '', admitted: ' after mutating admission happens' };

/**
 * Takes owner references out that are the same as one before, in every member, and returns what to warn of: one text, or none. Two that share
 * only their uid are left.
 */
export function withoutRepeatedOwners(metadata: ObjectMeta, moment: Moment): string[] {
  const owners = metadata.ownerReferences ?? [];
  if (owners.length < 2) return [];
  const kept = new Map<string, typeof owners>();
  const repeated = new Set<string>();
  const first = owners.filter((owner) => {
    const like = likeness(owner);
    const known = kept.get(like) ?? [];
    if (known.some((other) => sameValue(other, owner))) {
      repeated.add(owner.uid ?? '');
      return false;
    }
    kept.set(like, [...known, owner]);
    return true;
  });
  if (repeated.size === 0) return [];
  metadata.ownerReferences = first;
  return [
    `.metadata.ownerReferences contains duplicate entries${moments[moment]}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; ` +
      `please fix your requests; duplicate UID(s) observed: ${[...repeated].join(', ')}`,
  ];
}
