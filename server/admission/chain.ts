import { qualifiedName, type GroupResource } from '../api/resource.js';
import type { Admission, AdmissionPlugin, AdmissionRequest, MutationPass } from './contract.js';

/** Runs steps in the order given. Which ones look at a resource is worked out once for each. */
export function createAdmission(plugins: readonly AdmissionPlugin[]): Admission {
  const chosen = new Map<string, readonly AdmissionPlugin[]>();
  const pluginsFor = (resource: GroupResource): readonly AdmissionPlugin[] => {
    const name = qualifiedName(resource);
    const known = chosen.get(name) ?? plugins.filter(({ resources }) => resources === null || resources.includes(name));
    chosen.set(name, known);
    return known;
  };
  const chainFor = ({ operation, resource }: AdmissionRequest): readonly AdmissionPlugin[] => {
    const chain = pluginsFor(resource.storage);
    return operation === 'CONNECT' ? chain.filter(({ connects }) => connects === true) : chain;
  };
  return {
    async admit(request) {
      const chain = chainFor(request);
      const notes = new Map<string, unknown>();
      let repeats = false;
      await mutate(chain, request, {
        again: false,
        notes,
        repeat: () => {
          repeats = true;
        },
      });
      if (repeats) await mutate(chain, request, { again: true, notes, repeat: () => {} });
    },
    async validate(request) {
      for (const plugin of chainFor(request)) await plugin.validate?.(request);
    },
  };
}

async function mutate(chain: readonly AdmissionPlugin[], request: AdmissionRequest, pass: MutationPass): Promise<void> {
  for (const plugin of chain) await plugin.admit?.(request, pass);
}
