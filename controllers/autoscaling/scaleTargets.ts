import { apiVersionOf, groupOf, pathOf, resource, type Resource } from '../../api/meta/resource.js';
import type { Scale } from '../../api/types/autoscaling/v1.js';
import type { CrossVersionObjectReference } from '../../api/types/autoscaling/v2.js';
import type { Api } from '../client/api.js';
import type { Clock } from '../client/clock.js';
import { isNotFound, unless } from '../client/errors.js';

interface ResourceListDocument {
  readonly resources?: readonly { readonly name: string; readonly kind?: string; readonly namespaced?: boolean }[];
}

/** Types change rarely: a group's resources are read again after this time. */
const servedMs = 60_000;

export class ScaleTargets {
  readonly #api: Api;
  readonly #clock: Clock;
  readonly #served = new Map<string, { readonly document: ResourceListDocument; readonly at: number }>();

  constructor(api: Api, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
  }

  /** Throws when the server has no such kind. */
  async typeOf({ apiVersion = 'v1', kind }: CrossVersionObjectReference): Promise<Resource> {
    const { resources = [] } = await this.#servedBy(apiVersion);
    const found = resources.find((entry) => entry.kind === kind && !entry.name.includes('/'));
    if (!found) throw new Error(`no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(groupOf(apiVersion))}`);
    return resource({ apiVersion, resource: found.name, kind, namespaced: found.namespaced !== false });
  }

  scaleOf(type: Resource, namespace: string, name: string): Promise<Scale> {
    return this.#api.read<Scale>(pathOf(type, { namespace, name, subresource: 'scale' }), { accept: 'application/json' });
  }

  async resize(type: Resource, scale: Scale, replicas: number): Promise<void> {
    await this.#api.update<Scale>(type as Resource<Scale>, { ...scale, spec: { ...scale.spec, replicas } }, { subresource: 'scale' });
  }

  async #servedBy(apiVersion: string): Promise<ResourceListDocument> {
    const known = this.#served.get(apiVersion);
    if (known && this.#clock.elapsed() - known.at < servedMs) return known.document;
    const { group, version } = resource({ apiVersion, resource: '', kind: '' });
    const path = group === '' ? `/api/${version}` : `/apis/${apiVersionOf({ group, version })}`;
    const document = (await unless(isNotFound, this.#api.read<ResourceListDocument>(path))) ?? {};
    this.#served.set(apiVersion, { document, at: this.#clock.elapsed() });
    return document;
  }
}
