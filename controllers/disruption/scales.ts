import { isNotFound, unless } from '../client/errors.js';
import { controllerOf, type KubeObject, type OwnerReference, uidOf } from '../../api/meta/object.js';
import { deployments, replicaSets, statefulSets } from '../../api/types/apps/v1.js';
import type { Scale } from '../../api/types/autoscaling/v1.js';
import { replicationControllers } from '../../api/types/core/v1.js';
import { groupOf, pathOf, resource } from '../../api/meta/resource.js';
import type { ManagerEnvironment } from '../environment.js';
import { resourceOfKind, ServedResources } from '../servedResources.js';

export interface ControllerScale {
  readonly uid: string;
  readonly replicas: number;
}

/** The number is unknown, and a retry would not help. */
export class ScaleUnknownError extends Error {
  override readonly name = 'ScaleUnknownError';
}

interface Sized extends KubeObject {
  readonly spec?: { readonly replicas?: number };
}

/** Finds the scale of pods' controllers: of well-known ones in caches, of others through the subresource. */
export class Scales {
  readonly #environment: ManagerEnvironment;
  readonly #served: ServedResources;

  constructor(environment: ManagerEnvironment) {
    this.#environment = environment;
    this.#served = new ServedResources(environment.api, environment.clock);
  }

  /** Returns null when the controller is gone; rejects with `ScaleUnknownError` if it has no scale. */
  async of(reference: OwnerReference, namespace: string): Promise<ControllerScale | null> {
    return this.#known(reference, namespace) ?? this.#asked(reference, namespace);
  }

  /** A ReplicaSet counts as its Deployment, because several sets share its number during a rollout. */
  #known({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): ControllerScale | null {
    const { informers } = this.#environment;
    const key = `${namespace}/${name}`;
    const sized = (object: Sized | undefined, wanted = uid): ControllerScale | null =>
      object && uidOf(object) === wanted ? { uid: wanted, replicas: object.spec?.replicas ?? 1 } : null;
    const group = groupOf(apiVersion);
    if (kind === replicationControllers.kind && group === '') return sized(informers.of(replicationControllers).cache.get(key));
    if (group !== 'apps' && group !== 'extensions') return null;
    if (kind === statefulSets.kind && group === 'apps') return sized(informers.of(statefulSets).cache.get(key));
    if (kind !== replicaSets.kind) return null;
    const set = informers.of(replicaSets).cache.get(key);
    if (!set || uidOf(set) !== uid) return null;
    const owner = controllerOf(set);
    return owner?.kind === deployments.kind
      ? sized(informers.of(deployments).cache.get(`${namespace}/${owner.name}`), owner.uid)
      : sized(set);
  }

  async #asked({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): Promise<ControllerScale | null> {
    const resources = await this.#served.of(apiVersion);
    const plural = resourceOfKind(resources, kind)?.name;
    if (plural === undefined)
      throw new ScaleUnknownError(`no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`);
    if (!resources.some((entry) => entry.name === `${plural}/scale`))
      throw new ScaleUnknownError(`${apiVersion}, Resource=${plural} does not implement the scale subresource`);
    const scale = await unless(
      isNotFound,
      this.#environment.api.read<Scale>(
        pathOf(resource({ apiVersion, resource: plural, kind }), { namespace, name, subresource: 'scale' }),
      ),
    );
    return scale && uidOf(scale) === uid ? { uid, replicas: scale.spec?.replicas ?? 0 } : null;
  }
}
