import type { Steps } from '../../api/steps.js';
import type { ObjectMeta, OwnerReference } from '../../api/object.js';
import { likeness, sameValue } from '../../api/json/equality.js';

type Moment = 'sent' | 'admitted';

const moments: Readonly<Record<Moment, string>> = { sent: '', admitted: ' after mutating admission happens' };

const stepOwners = 500;

/** References that share only their uid stay. */
export function* withoutRepeatedOwners(metadata: ObjectMeta, moment: Moment): Steps<string[]> {
  const owners = metadata.ownerReferences ?? [];
  if (owners.length < 2) return [];
  const kept = new Map<string, OwnerReference[]>();
  const repeated = new Set<string>();
  const first: OwnerReference[] = [];
  for (const [position, owner] of owners.entries()) {
    if (position % stepOwners === stepOwners - 1) yield;
    const like = likeness(owner);
    const known = kept.get(like);
    if (known?.some((other) => sameValue(other, owner)) === true) {
      repeated.add(owner.uid ?? '');
      continue;
    }
    first.push(owner);
    if (known === undefined) kept.set(like, [owner]);
    else known.push(owner);
  }
  if (repeated.size === 0) return [];
  metadata.ownerReferences = first;
  return [
    `.metadata.ownerReferences contains duplicate entries${moments[moment]}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; ` +
      `please fix your requests; duplicate UID(s) observed: ${[...repeated].join(', ')}`,
  ];
}
