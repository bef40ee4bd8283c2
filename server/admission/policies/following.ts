import type { ApiObject } from '../../../api/object.js';
import type { Storage } from '../../storage/contract.js';
import type { AdmissionRequest } from '../../registry/admission.js';
import { followGuards, type GuardIndex, type UnreadGuards } from '../unreadGuards.js';
import { Candidates } from '../matching/candidates.js';
import { isExempt, isReview } from './exempt.js';
import { bindingOf, type Binding, type Policy } from './policy.js';

export interface Bound<P extends Policy> {
  readonly policy: P;
  readonly bindings: readonly Binding[];
}

export class PolicyIndex<P extends Policy> {
  readonly policies = new Map<string, P>();
  readonly bindings = new Map<string, Binding>();
  readonly #candidates = new Candidates<Bound<P>>(({ policy }) => policy.criteria.terms);
  #isOrdered = false;

  /** Must be called after every change. */
  changed(): void {
    this.#isOrdered = false;
  }

  candidates(request: AdmissionRequest): readonly Bound<P>[] {
    if (!this.#isOrdered) this.#candidates.replace(this.#ordered());
    this.#isOrdered = true;
    return this.#candidates.of(request);
  }

  #ordered(): readonly Bound<P>[] {
    const bindings = [...this.bindings.values()].sort(byName);
    return [...this.policies.values()]
      .sort(byName)
      .map((policy) => ({ policy, bindings: bindings.filter((binding) => binding.policy === policy.name) }))
      .filter((bound) => bound.bindings.length > 0);
  }
}

interface Named {
  readonly name: string;
}

const byName = (one: Named, other: Named): number => (one.name < other.name ? -1 : 1);

export interface FollowedPolicies<P extends Policy> {
  readonly index: PolicyIndex<P>;
  /** Stored policies and bindings that could not be read. */
  readonly unread: readonly UnreadGuards[];
  /** Policies from manifests, or null. The API cannot remove them, so they also apply to policies. */
  readonly manifests: PolicyIndex<P> | null;
  /** Settles once policies and bindings are known; no request passes before. */
  readonly synced: Promise<void>;
  stop(): void;
}

/** Returns candidate policies, those from manifests first. Throws if an unreadable policy may apply. */
export function policiesFor<P extends Policy>(
  { index, manifests, unread }: Pick<FollowedPolicies<P>, 'index' | 'manifests' | 'unread'>,
  request: AdmissionRequest,
): readonly Bound<P>[] {
  if (isReview(request)) return [];
  const exempt = isExempt(request);
  if (!exempt) for (const guards of unread) guards.demandNone();
  const own = exempt ? [] : index.candidates(request);
  const first = manifests?.candidates(request) ?? [];
  return first.length === 0 ? own : [...first, ...own];
}

export interface PolicyResources {
  readonly policies: string;
  readonly bindings: string;
}

export interface FollowOptions<P extends Policy> {
  readonly resources: PolicyResources;
  readonly read: (object: ApiObject) => P;
  readonly storage: Pick<Storage, 'watch'>;
  readonly report: (error: unknown, name: string) => void;
  readonly manifests: PolicyIndex<P> | null;
}

/** Follows policies and bindings of one kind in this replica's applied state. */
export function followPolicies<P extends Policy>({ resources, read, storage, report, manifests }: FollowOptions<P>): FollowedPolicies<P> {
  const index = new PolicyIndex<P>();
  const into = <T>(known: Map<string, T>, make: (object: ApiObject) => T): GuardIndex => ({
    put: (name, object) => {
      known.set(name, make(object));
      index.changed();
    },
    remove: (name) => {
      known.delete(name);
      index.changed();
    },
    has: (name) => known.has(name),
  });
  const followed = [
    followGuards(storage, resources.policies, into(index.policies, read), report),
    followGuards(storage, resources.bindings, into(index.bindings, bindingOf), report),
  ];
  return {
    index,
    unread: followed.map(({ unread }) => unread),
    manifests,
    synced: Promise.all(followed.map(({ synced }) => synced)).then(() => undefined),
    stop: () => {
      for (const each of followed) each.stop();
    },
  };
}
