import { groupOf, pathOf, resource, type Resource } from '../../api/meta/resource.js';
import type { Scale } from '../../api/types/autoscaling/v1.js';
import type { CrossVersionObjectReference } from '../../api/types/autoscaling/v2.js';
import type { Api } from '../client/api.js';
import type { Clock } from '../client/clock.js';
import { resourceOfKind, ServedResources } from '../servedResources.js';

export class ScaleTargets {
  readonly #api: Api;
  readonly #served: ServedResources;

  constructor(api: Api, clock: Clock) {
    this.#api = api;
    this.#served = new ServedResources(api, clock);
  }

  /** Throws when the server has no such kind. */
  async typeOf({ apiVersion = 'v1', kind }: CrossVersionObjectReference): Promise<Resource> {
    const found = resourceOfKind(await this.#served.of(apiVersion), kind);
    if (!found) throw new Error(`no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(groupOf(apiVersion))}`);
    return resource({ apiVersion, resource: found.name, kind, namespaced: found.namespaced !== false });
  }

  scaleOf(type: Resource, namespace: string, name: string): Promise<Scale> {
    return this.#api.read<Scale>(pathOf(type, { namespace, name, subresource: 'scale' }), { accept: 'application/json' });
  }

  async resize(type: Resource, scale: Scale, replicas: number): Promise<void> {
    await this.#api.update<Scale>(type as Resource<Scale>, { ...scale, spec: { ...scale.spec, replicas } }, { subresource: 'scale' });
  }
}
