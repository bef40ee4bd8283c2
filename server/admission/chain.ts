import { qualifiedName, type GroupResource } from '../api/resource.js';
import type { Admission, AdmissionPlugin, AdmissionRequest, MutationPass } from './contract.js';

/** Runs steps in the order given. Which ones look at a resource is worked out once for each. */
export function createAdmission(plugins: readonly AdmissionPlugin[]): Admission {
  const chosen = new Map<string, readonly AdmissionPlugin[]>();
  const pluginsFor = (resource: GroupResource): readonly AdmissionPlugin[] => {
    const name = qualifiedName(resource);
    let known = chosen.get(name);
    if (known === undefined) {
      known = plugins.filter(({ resources }) => resources === null || resources.includes(name));
      chosen.set(name, known);
    }
    return known;
  };
  const chainFor = ({ operation, resource }: AdmissionRequest): readonly AdmissionPlugin[] => {
    const chain = pluginsFor(resource.storage);
    return operation === 'CONNECT' ? chain.filter(({ connects }) => connects === true) : chain;
  };
  return {
    admit(request) {
      const chain = chainFor(request);
      const pass = new FirstPass();
      const first = inOrder(chain, 0, (plugin) => plugin.admit?.(request, pass));
      const again = (): Promise<void> | void => {
        if (pass.repeats)
          return inOrder(chain, 0, (plugin) => plugin.admit?.(request, { again: true, notes: pass.notes, repeat: () => {} }));
      };
      return first === undefined ? again() : first.then(again);
    },
    validate: (request) => inOrder(chainFor(request), 0, (plugin) => plugin.validate?.(request)),
  };
}

class FirstPass implements MutationPass {
  readonly again = false;
  repeats = false;
  #notes: Map<string, unknown> | null = null;

  /** Made on first use: most writes leave none. */
  get notes(): Map<string, unknown> {
    return (this.#notes ??= new Map<string, unknown>());
  }

  repeat(): void {
    this.repeats = true;
  }
}

/** Takes the steps from `at` on, one after the other, and waits only for those that have something to wait for. */
function inOrder(
  chain: readonly AdmissionPlugin[],
  at: number,
  take: (plugin: AdmissionPlugin) => Promise<void> | void,
): Promise<void> | undefined {
  for (let next = at; next < chain.length; next += 1) {
    const waiting = take(chain[next] as AdmissionPlugin);
    if (waiting !== undefined) return waiting.then(() => inOrder(chain, next + 1, take));
  }
  return undefined;
}
