import { microTimeText, timeOf } from '../../api/time.js';
import type { ApiObject, JsonObject } from '../../api/object.js';
import { StatusError } from '../../api/status.js';
import type { Registry, WriteOptions } from '../registry/contract.js';
import type { Target } from '../registry/target.js';
import { ownWrites } from '../registry/ownWrites.js';
import { noDeleteOptions } from '../registry/deletion.js';
import { readFailure } from '../registry/failures.js';
import { membersOf, memberAt, textAt } from '../../api/json/members.js';
import type { Catalogue, ServedResource } from '../registry/resources.js';
import type { Storage, StoredObject } from '../storage/contract.js';
import { follow, type Following } from '../storage/follow.js';
import { electionMs, firstLeaseSeconds, isExpired, isGone, nextStep, type Candidate, type Held, type Step } from './decision.js';

const group = 'coordination.k8s.io';
const leases = { group, resource: 'leases' };
const candidateResource = { group, resource: 'leasecandidates' };
const candidateVersions = ['v1beta1', 'v1alpha2'];
/** How often candidates are looked for that are none any more. */
const lookMs = 5 * 60_000;
const writeTimeoutMs = 5_000;
const options: WriteOptions = { ...ownWrites, manager: 'leader-election-controller', timeoutMs: writeTimeoutMs };
/** Another writer was faster, or storage takes no writes just now. */
const expected: ReadonlySet<number> = new Set([404, 409, 429, 503, 504]);

export interface ElectionsOptions {
  readonly storage: Pick<Storage, 'watch' | 'get'>;
  readonly registry: Registry;
  readonly catalogue: Catalogue;
  /** Whether this server is the one that elects. */
  readonly leads: () => Promise<boolean>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly report: (what: string, error: unknown) => void;
}

/** A lease that there are candidates for. */
interface Election {
  readonly namespace: string;
  readonly name: string;
  readonly candidates: Map<string, Candidate>;
  timer: NodeJS.Timeout | null;
  turn: Promise<void> | null;
  /** Something has changed while a turn was under way. */
  again: boolean;
}

/** Elects holders of leases among the candidates that clients have named (LeaseCandidate), one election a lease. `decision.ts` says whom. */
export class Elections {
  readonly #elections = new Map<string, Election>();
  /** Of each candidate, by namespace and name, the lease that it is for. */
  readonly #leaseOf = new Map<string, string>();
  readonly #following: readonly Following[];
  #look: NodeJS.Timeout | null = null;
  #running = false;

  constructor(private readonly options: ElectionsOptions) {
    this.#following = [
      follow(options.storage, candidateResource, {
        put: (object) => {
          this.#put(object);
        },
        remove: (namespace, name) => {
          this.#remove(namespace, name);
        },
      }),
      follow(options.storage, leases, {
        put: ({ namespace, name }) => {
          this.#wake(this.#elections.get(`${namespace}/${name}`));
        },
        remove: (namespace, name) => {
          this.#wake(this.#elections.get(`${namespace}/${name}`));
        },
      }),
    ];
  }

  /** Begins to elect. To be called when storage takes writes. */
  start(): void {
    this.#running = true;
    const all = (): void => {
      for (const election of this.#elections.values()) this.#wake(election);
    };
    this.#look = setInterval(all, lookMs).unref();
    all();
  }

  async stop(): Promise<void> {
    this.#running = false;
    if (this.#look !== null) clearInterval(this.#look);
    for (const { stop } of this.#following) stop();
    for (const { timer } of this.#elections.values()) if (timer !== null) clearTimeout(timer);
    await Promise.all([...this.#elections.values()].flatMap(({ turn }) => (turn === null ? [] : [turn])));
  }

  #put(stored: StoredObject): void {
    const read = readCandidate(stored);
    const place = `${stored.namespace}/${stored.name}`;
    if (read === null || this.#leaseOf.get(place) !== read.leaseName) this.#remove(stored.namespace, stored.name);
    if (read === null) return;
    const key = `${stored.namespace}/${read.leaseName}`;
    const election = this.#elections.get(key) ?? {
      namespace: stored.namespace,
      name: read.leaseName,
      candidates: new Map<string, Candidate>(),
      timer: null,
      turn: null,
      again: false,
    };
    this.#elections.set(key, election);
    this.#leaseOf.set(place, read.leaseName);
    election.candidates.set(stored.name, read.candidate);
    this.#wake(election);
  }

  #remove(namespace: string, name: string): void {
    const place = `${namespace}/${name}`;
    const key = `${namespace}/${this.#leaseOf.get(place) ?? ''}`;
    this.#leaseOf.delete(place);
    const election = this.#elections.get(key);
    election?.candidates.delete(name);
    if (election?.candidates.size !== 0) return this.#wake(election);
    if (election.timer !== null) clearTimeout(election.timer);
    this.#elections.delete(key);
  }

  /** Takes the next step soon, or after `afterMs`. */
  #wake(election: Election | undefined, afterMs = 0): void {
    if (!this.#running || election === undefined) return;
    if (election.turn !== null) {
      election.again = true;
      return;
    }
    if (election.timer !== null) clearTimeout(election.timer);
    election.timer = setTimeout(() => {
      election.timer = null;
      election.turn = this.#turn(election).then((nextMs) => {
        election.turn = null;
        const soon = election.again;
        election.again = false;
        if (soon) this.#wake(election);
        else if (nextMs !== null) this.#wake(election, nextMs);
      });
    }, afterMs).unref();
  }

  /** When to look again although nothing changes by then, in milliseconds; null for never. */
  async #turn(election: Election): Promise<number | null> {
    try {
      if (!(await this.options.leads())) return electionMs;
      const now = this.options.now();
      const candidates = [...election.candidates.values()];
      for (const candidate of candidates) if (isGone(candidate, now)) await this.#forget(election, candidate.name);
      const step = nextStep(candidates, heldIn(await this.#lease(election)), now);
      await this.#take(election, step);
      return step.do === 'nothing' ? step.lookAgain : electionMs;
    } catch (error) {
      if (!(error instanceof StatusError && expected.has(error.code)))
        this.options.report(`election of ${election.namespace}/${election.name}`, error);
      return electionMs;
    }
  }

  async #take(election: Election, step: Step): Promise<void> {
    if (step.do === 'nothing') return;
    if (step.do === 'ping') {
      await Promise.all(step.candidates.map((name) => this.#ping(election, name)));
      return;
    }
    await this.#changeLease(election, (current) => changed(current, step, this.options.now()));
  }

  async #ping({ namespace }: Election, name: string): Promise<void> {
    const target = this.#candidate(namespace, name);
    const apply = (current: ApiObject | null): ApiObject => {
      if (current === null) throw new Error(`candidate ${namespace}/${name} is gone`);
      specOf(current)['pingTime'] = microTimeText(this.options.now());
      return current;
    };
    if (target !== null) await this.options.registry.update(target, { apply, subresource: '', uid: null, mayCreate: null }, options);
  }

  async #forget({ namespace }: Election, name: string): Promise<void> {
    const target = this.#candidate(namespace, name);
    if (target !== null) await this.options.registry.delete(target, noDeleteOptions, options);
  }

  /** `change` gives the next state of the lease, or null where there is nothing to change any more. */
  async #changeLease({ namespace, name }: Election, change: (current: ApiObject | null) => ApiObject | null): Promise<void> {
    const { registry, catalogue } = this.options;
    const resource = catalogue.resource(group, 'v1', leases.resource);
    if (resource === null) return;
    const target: Target = { resource, namespace, name };
    const existing = await this.#lease({ namespace, name });
    if (existing === null) {
      const made = change({ apiVersion: `${group}/v1`, kind: 'Lease', metadata: { namespace, name }, spec: {} });
      if (made !== null) await registry.create({ resource, namespace, name: '' }, made, options);
      return;
    }
    const apply = (current: ApiObject | null): ApiObject => change(current) ?? current ?? existing;
    await registry.update(target, { apply, subresource: '', uid: null, mayCreate: null }, options);
  }

  async #lease({ namespace, name }: Pick<Election, 'namespace' | 'name'>): Promise<ApiObject | null> {
    const result = await this.options.storage.get({ resource: leases, namespace, name }, { at: 'mostRecent' });
    if (result.outcome === 'found') return structuredClone(result.object.decode());
    if (result.outcome === 'absent') return null;
    throw readFailure(result);
  }

  /** Null where the server serves no candidates: then there is nobody who could say that he is there. */
  #candidate(namespace: string, name: string): Target | null {
    const served = candidateVersions.map((version): ServedResource | null =>
      this.options.catalogue.resource(group, version, candidateResource.resource),
    );
    const resource = served.find((each) => each !== null) ?? null;
    return resource === null ? null : { resource, namespace, name };
  }
}

const specOf = (object: ApiObject): JsonObject => (object['spec'] = { ...membersOf(object['spec']) });

/** The lease as the step wants it; null where there is nothing to change any more. */
function changed(current: ApiObject | null, step: Exclude<Step, { readonly do: 'nothing' | 'ping' }>, now: number): ApiObject | null {
  switch (step.do) {
    case 'elect':
      return elected(current, step.candidate, step, now);
    case 'prefer':
      return preferring(current, step.candidate, step);
    case 'offer':
      return offered(current, step, now);
  }
}

/** The lease without a holder, for whoever knows its strategy; null where somebody has it already. */
function offered(current: ApiObject | null, { strategy }: { readonly strategy: string }, now: number): ApiObject | null {
  const held = heldIn(current);
  if (current === null || (held !== null && held.holder !== '' && !isExpired(held, now))) return null;
  const { holderIdentity: _, acquireTime: __, preferredHolder: ___, ...spec } = specOf(current);
  current['spec'] = { ...spec, strategy, leaseDurationSeconds: firstLeaseSeconds, renewTime: microTimeText(now) };
  return current;
}

/** The lease with a new holder, which has some seconds to make it its own; null where somebody else was faster. */
function elected(current: ApiObject | null, candidate: string, { strategy }: { readonly strategy: string }, now: number): ApiObject | null {
  const held = heldIn(current);
  if (current === null || (held !== null && held.holder !== '' && !isExpired(held, now))) return null;
  const { acquireTime: _, preferredHolder: __, ...spec } = specOf(current);
  current['spec'] = {
    ...spec,
    holderIdentity: candidate,
    strategy,
    leaseDurationSeconds: firstLeaseSeconds,
    renewTime: microTimeText(now),
  };
  return current;
}

function preferring(current: ApiObject | null, candidate: string, { strategy }: { readonly strategy: string }): ApiObject | null {
  const held = heldIn(current);
  if (current === null || held === null || held.holder === candidate) return null;
  current['spec'] = { ...specOf(current), preferredHolder: candidate, strategy };
  return current;
}

function heldIn(lease: ApiObject | null): Held | null {
  if (lease === null) return null;
  const duration = memberAt(lease, 'spec', 'leaseDurationSeconds');
  return {
    holder: textAt(lease, 'spec', 'holderIdentity'),
    renewedAt: whenAt(lease, 'renewTime'),
    durationSeconds: typeof duration === 'number' ? duration : null,
    preferred: textAt(lease, 'spec', 'preferredHolder'),
    strategy: textAt(lease, 'spec', 'strategy'),
  };
}

function whenAt(object: ApiObject, member: string): number | null {
  const time = timeOf(textAt(object, 'spec', member));
  return Number.isNaN(time) ? null : time;
}

/** An object that cannot be read names no candidate. */
function readCandidate(stored: StoredObject): { readonly leaseName: string; readonly candidate: Candidate } | null {
  try {
    const object = stored.decode();
    return {
      leaseName: textAt(object, 'spec', 'leaseName'),
      candidate: {
        name: stored.name,
        createdAt: timeOf(object.metadata.creationTimestamp) || 0,
        pingedAt: whenAt(object, 'pingTime'),
        renewedAt: whenAt(object, 'renewTime'),
        binaryVersion: textAt(object, 'spec', 'binaryVersion'),
        emulationVersion: textAt(object, 'spec', 'emulationVersion'),
        strategy: textAt(object, 'spec', 'strategy'),
      },
    };
  } catch {
    return null;
  }
}
