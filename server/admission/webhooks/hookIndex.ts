import type { AdmissionRequest } from '../../registry/admission.js';
import { matchesGroup, matchesOperation, matchesResource } from '../matching/rules.js';
import type { Hook } from './hook.js';

/** The limit of cached kinds of requests: served resources, subresources and operations. */
const kindsMax = 10_000;
const none: readonly Hook[] = [];

/** All webhooks of one kind in calling order: by configuration name, then by position. The candidates are computed once for each kind of request. */
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

  /** Replaces all webhooks. */
  replace(configurations: ReadonlyMap<string, readonly Hook[]>): void {
    this.#configurations.clear();
    for (const [name, hooks] of configurations) this.#configurations.set(name, hooks);
    this.#reorder();
  }

  remove(configuration: string): void {
    this.#configurations.delete(configuration);
    this.#reorder();
  }

  /** Webhooks with a rule that may match this kind of request. */
  candidates({ operation, resource: { group, resource, storage }, subresource }: AdmissionRequest): readonly Hook[] {
    if (this.#ordered.length === 0) return none;
    const kind = `${operation} ${group}/${resource}/${subresource}`;
    const known = this.#byKind.get(kind);
    if (known !== undefined) return known;
    // Resources of another group with the same storage match, where a webhook wants that.
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
