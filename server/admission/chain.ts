import { qualifiedName, type GroupResource } from '../../api/resource.js';
import type { Admission, AdmissionPlugin, AdmissionRequest, MutationPass } from '../registry/admission.js';
import { noTimes, type AdmissionTimes, type Half, type Operation, type Times } from './times.js';

/** Runs steps in the given order, computed once per resource. */
export function createAdmission(plugins: readonly AdmissionPlugin[], times: AdmissionTimes = noTimes): Admission {
  const chosen = new Map<string, Chains>();
  const chainsFor = (resource: GroupResource): Chains => {
    const name = qualifiedName(resource);
    let known = chosen.get(name);
    if (known === undefined) {
      known = new Chains(
        plugins.filter(({ resources }) => resources === null || resources.includes(name)),
        times,
      );
      chosen.set(name, known);
    }
    return known;
  };
  return {
    admit(request) {
      const chains = chainsFor(request.resource.storage);
      const mutating = mutate(chains.of('admit', request.operation), request);
      return mutating === undefined ? permit(chains.permissions, request) : mutating.then(() => permit(chains.permissions, request));
    },
    validate(request) {
      const chain = chainsFor(request.resource.storage).of('validate', request.operation);
      return timed(chain.whole, () => inOrder(chain, 0, request, null));
    },
  };
}

function mutate(chain: Chain, request: AdmissionRequest): Promise<void> | void {
  const pass = new FirstPass();
  return timed(chain.whole, () => {
    const first = inOrder(chain, 0, request, pass);
    const again = (): Promise<void> | void => {
      if (pass.repeats) return inOrder(chain, 0, request, { again: true, notes: pass.notes, repeat: () => {} });
    };
    return first === undefined ? again() : first.then(again);
  });
}

/** Not timed: the reference asks for these rights outside admission. */
async function permitInOrder(permissions: readonly Permission[], request: AdmissionRequest): Promise<void> {
  for (const each of permissions) await each(request);
}

function permit(permissions: readonly Permission[], request: AdmissionRequest): Promise<void> | void {
  if (permissions.length > 0) return permitInOrder(permissions, request);
}

type Permission = (request: AdmissionRequest) => Promise<void> | void;

interface Chain {
  readonly steps: readonly { readonly take: Take; readonly times: Times }[];
  readonly whole: Times;
}

/** `pass` is null in the validating half. */
type Take = (request: AdmissionRequest, pass: MutationPass | null) => Promise<void> | void;

class Chains {
  readonly permissions: readonly Permission[];
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #times: AdmissionTimes;
  readonly #chains = new Map<string, Chain>();

  constructor(plugins: readonly AdmissionPlugin[], times: AdmissionTimes) {
    this.#plugins = plugins;
    this.#times = times;
    this.permissions = plugins.flatMap((plugin) => (plugin.permit === undefined ? [] : [(request) => plugin.permit?.(request)]));
  }

  of(half: Half, operation: Operation): Chain {
    const key = places[half][operation];
    let known = this.#chains.get(key);
    if (known === undefined) this.#chains.set(key, (known = this.#make(half, operation)));
    return known;
  }

  #make(half: Half, operation: Operation): Chain {
    const looking = operation === 'CONNECT' ? this.#plugins.filter(({ connects }) => connects === true) : this.#plugins;
    return {
      whole: this.#times.ofAll(half, operation),
      steps: looking.flatMap((plugin) => {
        const take = takeOf(plugin, half);
        return take === null ? [] : [{ take, times: this.#times.ofPlugin(plugin.name, half, operation) }];
      }),
    };
  }
}

const placesOf = (half: Half): Readonly<Record<Operation, string>> => ({
  CREATE: `${half} CREATE`,
  UPDATE: `${half} UPDATE`,
  DELETE: `${half} DELETE`,
  CONNECT: `${half} CONNECT`,
});
const places: Readonly<Record<Half, Readonly<Record<Operation, string>>>> = { admit: placesOf('admit'), validate: placesOf('validate') };

function takeOf(plugin: AdmissionPlugin, half: Half): Take | null {
  if (half === 'admit')
    return plugin.admit === undefined ? null : (request, pass) => (pass === null ? undefined : plugin.admit?.(request, pass));
  return plugin.validate === undefined ? null : (request) => plugin.validate?.(request);
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

/** Runs the steps from `from` on in sequence, waiting only for promises. One clock reading ends a step and begins the next. */
function inOrder(chain: Chain, from: number, request: AdmissionRequest, pass: MutationPass | null): Promise<void> | undefined {
  const { steps } = chain;
  let begun = performance.now();
  let next = from;
  try {
    for (; next < steps.length; next += 1) {
      const { take, times } = steps[next]!;
      const waiting = take(request, pass);
      if (waiting !== undefined) return waitFor(waiting, times, begun).then(() => inOrder(chain, next + 1, request, pass));
      const ended = performance.now();
      times.observe((ended - begun) / 1000, false);
      begun = ended;
    }
  } catch (error) {
    steps[next]!.times.observe((performance.now() - begun) / 1000, true);
    throw error;
  }
  return undefined;
}

async function waitFor(waiting: Promise<void>, times: Times, begun: number): Promise<void> {
  let rejected = true;
  try {
    await waiting;
    rejected = false;
  } finally {
    times.observe((performance.now() - begun) / 1000, rejected);
  }
}

function timed(times: Times, work: () => Promise<void> | void): Promise<void> | void {
  const begun = performance.now();
  try {
    const waiting = work();
    if (waiting !== undefined) return waitFor(waiting, times, begun);
  } catch (error) {
    times.observe((performance.now() - begun) / 1000, true);
    throw error;
  }
  times.observe((performance.now() - begun) / 1000, false);
}
