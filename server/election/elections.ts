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
import {
  candidateMs,
  electionMs,
  firstLeaseSeconds,
  isExpired,
  isGone,
  nextStep,
  type Candidate,
  type Held,
  type Step,
} from './decision.js';

const group = 'coordination.k8s.io';
const leases = { group, resource: 'leases' };
const candidateResource = { group, resource: 'leasecandidates' };
const candidateVersions = ['v1beta1', 'v1alpha2'];
const lookMs = 5 * 60_000;
const writeTimeoutMs = 5_000;
const options: WriteOptions = { ...ownWrites, manager: 'leader-election-controller', timeoutMs: writeTimeoutMs };
/** Another writer was faster, or storage accepts no writes now. */
const expected: ReadonlySet<number> = new Set([404, 409, 429, 503, 504]);

export interface ElectionsOptions {
  readonly storage: Pick<Storage, 'watch' | 'get'>;
  readonly registry: Registry;
  readonly catalogue: Catalogue;
  readonly leads: () => Promise<boolean>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly report: (what: string, error: unknown) => void;
}

interface Election {
  readonly namespace: string;
  readonly name: string;
  readonly candidates: Map<string, Candidate>;
  timer: NodeJS.Timeout | null;
  turn: Promise<void> | null;
  /** A change occurred during a turn. */
  again: boolean;
  /** The next turn deletes candidates that are gone. */
  sweeps: boolean;
}

/** Elects lease holders among LeaseCandidates, one election per lease. `decision.ts` chooses. */
export class Elections {
  readonly #options: ElectionsOptions;
  readonly #elections = new Map<string, Election>();
  readonly #leaseOf = new Map<string, string>();
  readonly #following: readonly Following[];
  #look: NodeJS.Timeout | null = null;
  #sweep: NodeJS.Timeout | null = null;
  #running = false;

  constructor(options: ElectionsOptions) {
    this.#options = options;
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

  start(): void {
    this.#running = true;
    this.#look = setInterval(() => this.look(), lookMs).unref();
    this.#sweep = setInterval(() => this.sweep(), candidateMs).unref();
    this.sweep();
  }

  look(): void {
    for (const election of this.#elections.values()) this.#wake(election);
  }

  sweep(): void {
    for (const election of this.#elections.values()) election.sweeps = true;
    this.look();
  }

  async stop(): Promise<void> {
    this.#running = false;
    for (const interval of [this.#look, this.#sweep]) if (interval !== null) clearInterval(interval);
    for (const each of this.#following) each.stop();
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
      sweeps: false,
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

  /** Returns the delay of the next turn without a change, in milliseconds; null for none. */
  async #turn(election: Election): Promise<number | null> {
    try {
      if (!(await this.#options.leads())) return electionMs;
      const now = this.#options.now();
      const candidates = [...election.candidates.values()];
      if (election.sweeps) for (const candidate of candidates) if (isGone(candidate, now)) await this.#forget(election, candidate.name);
      election.sweeps = false;
      const step = nextStep(candidates, heldIn(await this.#lease(election)), now);
      await this.#take(election, step);
      return step.do === 'nothing' ? step.lookAgain : electionMs;
    } catch (error) {
      if (!(error instanceof StatusError && expected.has(error.code)))
        this.#options.report(`election of ${election.namespace}/${election.name}`, error);
      return electionMs;
    }
  }

  async #take(election: Election, step: Step): Promise<void> {
    if (step.do === 'nothing') return;
    if (step.do === 'ping') {
      await Promise.all(step.candidates.map((name) => this.#ping(election, name)));
      return;
    }
    await this.#changeLease(election, (current) => changed(current, step, this.#options.now()));
  }

  async #ping({ namespace }: Election, name: string): Promise<void> {
    const target = this.#candidate(namespace, name);
    const apply = (current: ApiObject | null): ApiObject => {
      if (current === null) throw new Error(`candidate ${namespace}/${name} is gone`);
      specOf(current)['pingTime'] = microTimeText(this.#options.now());
      return current;
    };
    if (target !== null) await this.#options.registry.update(target, { apply, subresource: '', uid: null, mayCreate: null }, options);
  }

  async #forget({ namespace }: Election, name: string): Promise<void> {
    const target = this.#candidate(namespace, name);
    if (target !== null) await this.#options.registry.delete(target, noDeleteOptions, options);
  }

  /** `change` returns the lease's next state, or null to change nothing. */
  async #changeLease({ namespace, name }: Election, change: (current: ApiObject | null) => ApiObject | null): Promise<void> {
    const { registry, catalogue } = this.#options;
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
    const result = await this.#options.storage.get({ resource: leases, namespace, name }, { at: 'mostRecent' });
    if (result.outcome === 'found') return structuredClone(result.object.decode());
    if (result.outcome === 'absent') return null;
    throw readFailure(result);
  }

  /** Null if the server does not serve candidates, which cannot answer then. */
  #candidate(namespace: string, name: string): Target | null {
    const served = candidateVersions.map((version): ServedResource | null =>
      this.#options.catalogue.resource(group, version, candidateResource.resource),
    );
    const resource = served.find((each) => each !== null) ?? null;
    return resource === null ? null : { resource, namespace, name };
  }
}

const specOf = (object: ApiObject): JsonObject => (object['spec'] = { ...membersOf(object['spec']) });

/** Returns the lease after the step; null if nothing changes. */
function changed(current: ApiObject | null, step: Exclude<Step, { readonly do: 'nothing' | 'ping' }>, now: number): ApiObject | null {
  switch (step.do) {
    case 'elect':
      return elected(current, step.candidate, step.strategy, now);
    case 'prefer':
      return preferring(current, step.candidate, step.strategy);
    case 'offer':
      return offered(current, step.strategy, now);
  }
}

/** Returns the lease without a holder, for another coordinator; null if it has one. */
function offered(current: ApiObject | null, strategy: string, now: number): ApiObject | null {
  const held = heldIn(current);
  if (current === null || (held !== null && held.holder !== '' && !isExpired(held, now))) return null;
  const { holderIdentity: _, acquireTime: __, preferredHolder: ___, ...spec } = specOf(current);
  current['spec'] = { ...spec, strategy, leaseDurationSeconds: firstLeaseSeconds, renewTime: microTimeText(now) };
  return current;
}

/** Returns the lease with a new holder, which has some seconds to renew it; null where another was faster. */
function elected(current: ApiObject | null, candidate: string, strategy: string, now: number): ApiObject | null {
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

function preferring(current: ApiObject | null, candidate: string, strategy: string): ApiObject | null {
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

/** An unreadable object names no candidate. */
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
