import { qualifiedName, type GroupResource } from '../api/resource.js';
import type { Admission, AdmissionPlugin } from './contract.js';

/** Runs steps in the order given. Which ones look at a resource is worked out once for each. */
export function createAdmission(plugins: readonly AdmissionPlugin[]): Admission {
  const chosen = new Map<string, readonly AdmissionPlugin[]>();
  const pluginsFor = (resource: GroupResource): readonly AdmissionPlugin[] => {
    const name = qualifiedName(resource);
    const known = chosen.get(name) ?? plugins.filter(({ resources }) => resources === null || resources.includes(name));
    chosen.set(name, known);
    return known;
  };
  return {
    async admit(request) {
      for (const plugin of pluginsFor(request.resource.storage)) await plugin.admit?.(request);
    },
    async validate(request) {
      for (const plugin of pluginsFor(request.resource.storage)) await plugin.validate?.(request);
    },
  };
}
