import type { ApiObject, JsonObject } from '../../../api/object.js';
import { ensureObject, objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { textAt } from '../../../api/json/members.js';

const annotation = 'kubernetes.io/limit-ranger';

/** Sets the limit range's defaults in containers, and lists them in an annotation. */
export function setContainerResources(pod: ApiObject, limits: readonly JsonObject[]): void {
  const ofContainers = limits.filter((limit) => limit['type'] === 'Container');
  const merged = (member: string): JsonObject =>
    Object.assign({}, ...ofContainers.map((limit) => objectAt(limit, member) ?? {})) as JsonObject;
  const defaults = { requests: merged('defaultRequest'), limits: merged('default') };
  const spec = ensureObject(pod, 'spec');
  const notes = [
    ...objectsIn(spec, 'containers').flatMap((container) => fill(container, defaults, 'container')),
    ...objectsIn(spec, 'initContainers').flatMap((container) => fill(container, defaults, 'init container')),
  ];
  if (notes.length > 0)
    pod.metadata.annotations = { ...pod.metadata.annotations, [annotation]: `LimitRanger plugin set: ${notes.join('; ')}` };
}

function fill(container: JsonObject, defaults: Readonly<Record<'requests' | 'limits', JsonObject>>, what: string): string[] {
  const resources = ensureObject(container, 'resources');
  return (['requests', 'limits'] as const).flatMap((list) => {
    const present = objectAt(resources, list) ?? {};
    const missing = Object.keys(defaults[list])
      .filter((name) => !Object.hasOwn(present, name))
      .sort();
    if (missing.length === 0) return [];
    resources[list] = { ...present, ...Object.fromEntries(missing.map((name) => [name, defaults[list][name]])) };
    return [`${missing.join(', ')} ${list.slice(0, -1)} for ${what} ${textAt(container, 'name')}`];
  });
}
