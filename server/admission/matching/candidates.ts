import type { AdmissionRequest } from '../../registry/admission.js';
import type { MatchTerms } from './match.js';
import { matchesGroup, matchesOperation, matchesResource } from './rules.js';

/** Limit of cached kinds of requests (resource, subresource, operation). */
const kindsMax = 10_000;

/** Webhooks or policies with a rule that may match a request, computed once per kind of request. */
export class Candidates<T> {
  readonly #termsOf: (each: T) => MatchTerms;
  readonly #byKind = new Map<string, readonly T[]>();
  #all: readonly T[] = [];

  constructor(termsOf: (each: T) => MatchTerms) {
    this.#termsOf = termsOf;
  }

  replace(all: readonly T[]): void {
    this.#all = all;
    this.#byKind.clear();
  }

  of({ operation, resource: { group, resource, storage }, subresource }: AdmissionRequest): readonly T[] {
    if (this.#all.length === 0) return this.#all;
    const kind = `${operation} ${group}/${resource}/${subresource}`;
    const known = this.#byKind.get(kind);
    if (known !== undefined) return known;
    // Resources of another group with the same storage match, if the terms say so.
    const isElsewhere = storage.group !== group || storage.resource === 'events';
    const found = this.#all.filter((each) => {
      const { rules, equivalent } = this.#termsOf(each);
      return rules.some(
        (rule) =>
          matchesOperation(rule, operation) &&
          matchesResource(rule, resource, subresource) &&
          (matchesGroup(rule, group) || (equivalent && isElsewhere)),
      );
    });
    if (this.#byKind.size < kindsMax) this.#byKind.set(kind, found);
    return found;
  }
}
