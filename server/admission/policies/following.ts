import type { ApiObject } from '../../../api/object.js';
import type { Storage } from '../../storage/contract.js';
import { follow } from '../../storage/follow.js';
import type { AdmissionRequest } from '../../registry/admission.js';
import { UnreadGuards } from '../unreadGuards.js';
import { matchesGroup, matchesOperation, matchesResource } from '../matching/rules.js';
import { isExempt, isReview } from './exempt.js';
import { bindingOf, type Binding, type Policy } from './policy.js';

/** A policy with what binds it. */
export interface Bound<P extends Policy> {
  readonly policy: P;
  readonly bindings: readonly Binding[];
}

/** Kinds of requests remembered; their number is that of served resources, subresources and operations. */
const kindsMax = 10_000;

/**
 * Policies that something binds, in the order of their names, and their bindings likewise. Which of them may be about a kind of request is worked out once for each
 * kind, so a request that no policy names costs a look into a map.
 */
export class PolicyIndex<P extends Policy> {
  readonly policies = new Map<string, P>();
  readonly bindings = new Map<string, Binding>();
  #bound: readonly Bound<P>[] | null = null;
  readonly #byKind = new Map<string, readonly Bound<P>[]>();

  /** To be called after every change. */
  changed(): void {
    this.#bound = null;
    this.#byKind.clear();
  }

  /** Policies of which a rule may match; the others are not about such requests whatever their content. */
  candidates({ operation, resource: { group, resource, storage }, subresource }: AdmissionRequest): readonly Bound<P>[] {
    const bound = (this.#bound ??= this.#ordered());
    if (bound.length === 0) return bound;
    const kind = `${operation} ${group}/${resource}/${subresource}`;
    const known = this.#byKind.get(kind);
    if (known !== undefined) return known;
    // Resources of another group that are kept in the same place count as the same, where a policy wants that.
    const found = bound.filter(
      ({
        policy: {
          criteria: { terms },
        },
      }) =>
        terms.rules.some(
          (rule) =>
            matchesOperation(rule, operation) &&
            matchesResource(rule, resource, subresource) &&
            (matchesGroup(rule, group) || (terms.equivalent && (storage.group !== group || storage.resource === 'events'))),
        ),
    );
    if (this.#byKind.size < kindsMax) this.#byKind.set(kind, found);
    return found;
  }

  #ordered(): readonly Bound<P>[] {
    const bindings = [...this.bindings.values()].sort(byName);
    return [...this.policies.values()]
      .sort(byName)
      .map((policy) => ({ policy, bindings: bindings.filter((binding) => binding.policy === policy.name) }))
      .filter((bound) => bound.bindings.length > 0);
  }
}

const byName = (one: { readonly name: string }, other: { readonly name: string }): number => (one.name < other.name ? -1 : 1);

export interface FollowedPolicies<P extends Policy> {
  readonly index: PolicyIndex<P>;
  /** Policies and bindings that are there and could not be read so far. */
  readonly unread: readonly UnreadGuards[];
  /** From manifests; they cannot be taken away through the API, so they judge policies, too. Null for none. */
  readonly manifests: PolicyIndex<P> | null;
  /** Settles once all policies and bindings are known; until then nothing may pass. */
  readonly synced: Promise<void>;
  stop(): void;
}

/** Policies that may be about a request, those from manifests first. Throws where one may be of which nobody knows what it is about. */
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

const group = 'admissionregistration.k8s.io';

export interface FollowOptions<P extends Policy> {
  readonly resources: PolicyResources;
  readonly read: (object: ApiObject) => P;
  readonly storage: Pick<Storage, 'watch'>;
  /** Hears of those that cannot be read. */
  readonly report: (error: unknown, name: string) => void;
  /** Policies from manifests; null for none. */
  readonly manifests: PolicyIndex<P> | null;
}

/** Policies and bindings of one kind, as this replica's state has them: changes count as soon as they are applied here. */
export function followPolicies<P extends Policy>({ resources, read, storage, report, manifests }: FollowOptions<P>): FollowedPolicies<P> {
  const index = new PolicyIndex<P>();
  const unread: UnreadGuards[] = [];
  const into = <T>(resource: string, known: Map<string, T>, make: (object: ApiObject) => T): ReturnType<typeof follow> => {
    const guards = new UnreadGuards(resource);
    unread.push(guards);
    return follow(
      storage,
      { group: group, resource },
      {
        put(object) {
          const decoded = object.decode();
          guards.delete(object.name);
          try {
            known.set(object.name, make(decoded));
          } catch (error) {
            report(error, object.name);
          }
          index.changed();
        },
        remove(_namespace, name) {
          known.delete(name);
          guards.delete(name);
          index.changed();
        },
        unreadable({ name, reason }) {
          // What was known of it before stays: a guard that cannot be read any more must not fall.
          if (!known.has(name)) guards.add({ name, reason });
          report(new Error(reason), name);
        },
      },
    );
  };
  const followed = [into(resources.policies, index.policies, read), into(resources.bindings, index.bindings, bindingOf)];
  return {
    index,
    unread,
    manifests,
    synced: Promise.all(followed.map(({ synced }) => synced)).then(() => undefined),
    stop: () => {
      for (const { stop } of followed) stop();
    },
  };
}
