import { apiVersionOf, resource } from '../api/meta/resource.js';
import type { Api } from './client/api.js';
import type { Clock } from './client/clock.js';
import { isNotFound, unless } from './client/errors.js';

interface ServedResource {
  readonly name: string;
  readonly kind?: string;
  readonly namespaced?: boolean;
}

/** Types change rarely; resources of a group are reread after this time. */
const servedMs = 60_000;

/** Resources and subresources of group versions, as listed by the server. */
export class ServedResources {
  readonly #api: Api;
  readonly #clock: Clock;
  readonly #served = new Map<string, { readonly resources: readonly ServedResource[]; readonly at: number }>();

  constructor(api: Api, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
  }

  /** Returns an empty list for an unserved group version. */
  async of(apiVersion: string): Promise<readonly ServedResource[]> {
    const known = this.#served.get(apiVersion);
    if (known && this.#clock.elapsed() - known.at < servedMs) return known.resources;
    const { group, version } = resource({ apiVersion, resource: '', kind: '' });
    const path = group === '' ? `/api/${version}` : `/apis/${apiVersionOf({ group, version })}`;
    const list = await unless(isNotFound, this.#api.read<{ readonly resources?: readonly ServedResource[] }>(path));
    const resources = list?.resources ?? [];
    this.#served.set(apiVersion, { resources, at: this.#clock.elapsed() });
    return resources;
  }
}

export const resourceOfKind = (resources: readonly ServedResource[], kind: string): ServedResource | undefined =>
  resources.find((entry) => entry.kind === kind && !entry.name.includes('/'));
