import type { KubeObject } from '../../api/meta/object.js';
import { formatQuantity } from '../../api/quantity.js';
import { sameMeaning } from '../../api/json/equality.js';
import { occupies } from '../../api/quota/podUsage.js';
import { scopeFacts } from '../../api/quota/scopes.js';
import { usageOf } from '../../api/quota/usage.js';

/** Returns whether a change may free amounts, or use more without admission, which counts creations and growth by ordinary writes. Pure. */
export function changesUse(source: string, before: KubeObject, after: KubeObject | null, now: number): boolean {
  if (after === null) return true;
  if (source === 'pods' && occupies(before, now) && !occupies(after, now)) return true;
  return (
    !sameMeaning(used(source, before, now), used(source, after, now)) || !sameMeaning(scopeFacts(source, before), scopeFacts(source, after))
  );
}

const used = (source: string, object: KubeObject, now: number): readonly string[] =>
  [...usageOf(source, object, now)].map(([name, amount]) => `${name}=${formatQuantity({ ...amount, format: 'decimal' })}`).sort();
