import { namedUsage } from '../../../api/quota/podUsage.js';
import type { ApiObject } from '../../../api/object.js';
import { amountsOf } from '../../kinds/core/pod/totals.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { textAt } from '../../../api/json/members.js';

const mustBeNamed: ReadonlySet<string> = new Set(['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']);

/** Containers must state requests or limits for quota resources; returns missing ones, or null. */
export function unnamedResources(pod: ApiObject, names: readonly string[]): string | null {
  const spec = objectAt(pod, 'spec') ?? {};
  const missing = new Map<string, Set<string>>();
  for (const container of [...objectsIn(spec, 'containers'), ...objectsIn(spec, 'initContainers')]) {
    const resources = objectAt(container, 'resources') ?? {};
    const named = namedUsage(amountsOf(objectAt(resources, 'requests')), amountsOf(objectAt(resources, 'limits')));
    for (const name of names)
      if (mustBeNamed.has(name) && !named.has(name)) missing.set(name, (missing.get(name) ?? new Set()).add(textAt(container, 'name')));
  }
  if (missing.size === 0) return null;
  return `must specify ${[...missing]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, containers]) => `${name} for: ${[...containers].sort().join(',')}`)
    .join('; ')}`;
}
