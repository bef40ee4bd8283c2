import type { AdmissionRequest } from '../../registry/admission.js';
import { matchesGroup, matchesOperation, matchesResource } from '../matching/rules.js';
import type { Hook } from './hook.js';

/** Kinds of requests remembered; their number is that of served resources, subresources and operations. */
const kindsMax = 10_000;
const none: readonly Hook[] = [];

/**
 * All webhooks of one kind, in the order in which they are asked: by the names of their configurations, and in each as they stand there. Which of
 * them may be about a kind of request is worked out once for each kind, so a request that no rule names costs a look into a map.
 */
export class HookIndex {
  readonly #configurations = new Map<string, readonly Hook[]>();
  #ordered: readonly Hook[] = [];
  readonly #byKind = new Map<string, readonly Hook[]>();

  put(configuration: string, hooks: readonly Hook[]): void {
    this.#configurations.set(configuration, hooks);
    this.#reorder();
  }

  has(configuration: string): boolean {
    return this.#configurations.has(configuration);
  }

  /** These in place of all that were there. */
  replace(configurations: ReadonlyMap<string, readonly Hook[]>): void {
    this.#configurations.clear();
    for (const [name, hooks] of configurations) this.#configurations.set(name, hooks);
    this.#reorder();
  }

  remove(configuration: string): void {
    this.#configurations.delete(configuration);
    this.#reorder();
  }

  /** Webhooks of which a rule may match; the others are not about such requests whatever their content. */
  candidates({ operation, resource: { group, resource, storage }, subresource }: AdmissionRequest): readonly Hook[] {
    if (this.#ordered.length === 0) return none;
    const kind = `${operation} ${group}/${resource}/${subresource}`;
    const known = this.#byKind.get(kind);
    if (known !== undefined) return known;
    // Resources of another group that are kept in the same place count as the same, where a webhook wants that.
    const matching = this.#ordered.filter(({ terms }) =>
      terms.rules.some(
        (rule) =>
          matchesOperation(rule, operation) &&
          matchesResource(rule, resource, subresource) &&
          (matchesGroup(rule, group) || (terms.equivalent && (storage.group !== group || storage.resource === 'events'))),
      ),
    );
    const found = matching.length === 0 ? none : matching;
    if (this.#byKind.size < kindsMax) this.#byKind.set(kind, found);
    return found;
  }

  #reorder(): void {
    const names = [...this.#configurations.keys()].sort();
    this.#ordered = names.flatMap((name) => this.#configurations.get(name) ?? []);
    this.#byKind.clear();
  }
}
