import type { AdmissionRequest } from '../../registry/admission.js';
import { Candidates } from '../matching/candidates.js';
import type { Hook } from './hook.js';

/** All webhooks of one kind in calling order: by configuration name, then by position. */
export class HookIndex {
  readonly #configurations = new Map<string, readonly Hook[]>();
  readonly #candidates = new Candidates<Hook>(({ terms }) => terms);

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

  candidates(request: AdmissionRequest): readonly Hook[] {
    return this.#candidates.of(request);
  }

  #reorder(): void {
    const names = [...this.#configurations.keys()].sort();
    this.#candidates.replace(names.flatMap((name) => this.#configurations.get(name) ?? []));
  }
}
