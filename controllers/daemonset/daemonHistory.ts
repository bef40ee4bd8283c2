import { mergePatch } from '../client/api.js';
import { isAlreadyExists, isNotFound, unless } from '../client/errors.js';
import { keyOf, keyTextOf, uidOf } from '../../api/meta/object.js';
import { selects } from '../../api/selectors.js';
import { type ControllerRevision, controllerRevisions, type DaemonSet, daemonSets, type DaemonSetStatus } from '../../api/types/apps/v1.js';
import { type Pod, pods } from '../../api/types/core/v1.js';
import type { ManagerEnvironment } from '../environment.js';
import { holds, numbered, numberOf } from '../revisions/history.js';
import { ownedBy } from '../workloads/claim.js';
import { hashLabel } from './daemonPod.js';
import { hashOf, historyOf, newRevision, revisionsToDelete } from './history.js';

export class DaemonHistory {
  readonly #environment: ManagerEnvironment;

  constructor(environment: ManagerEnvironment) {
    this.#environment = environment;
  }

  async ensure(
    set: DaemonSet,
    owned: readonly Pod[],
  ): Promise<{ readonly current: ControllerRevision; readonly old: readonly ControllerRevision[] }> {
    const { api } = this.#environment;
    const revisions = await ownedBy(this.#environment, {
      ownerType: daemonSets,
      owner: set,
      type: controllerRevisions,
      matches: (revision) => selects(set.spec?.selector, revision.metadata.labels),
    });
    const labelled = await Promise.all(revisions.map((revision) => this.#labelled(revision)));
    const { current, twins, old, number } = historyOf(set, labelled);
    if (!current) return { current: await this.#create(set, number), old };
    for (const twin of twins) await this.#merge(twin, current, owned);
    return { current: numberOf(current) < number ? await api.update(controllerRevisions, numbered(current, number)) : current, old };
  }

  async prune(set: DaemonSet, old: readonly ControllerRevision[], owned: readonly Pod[]): Promise<void> {
    for (const revision of revisionsToDelete(set, old, owned)) await this.#delete(revision);
  }

  /** An adopted revision may lack the label by which pods are found. */
  #labelled(revision: ControllerRevision): Promise<ControllerRevision> {
    if (hashOf(revision) !== '') return Promise.resolve(revision);
    return this.#environment.api.update(controllerRevisions, {
      ...revision,
      metadata: { ...revision.metadata, labels: { ...revision.metadata.labels, [hashLabel]: revision.metadata.name ?? '' } },
    });
  }

  async #merge(twin: ControllerRevision, kept: ControllerRevision, owned: readonly Pod[]): Promise<void> {
    for (const pod of owned) {
      if (pod.metadata.labels?.[hashLabel] === hashOf(twin))
        await unless(
          isNotFound,
          this.#environment.api.patch(
            pods,
            keyOf(pod),
            mergePatch({ metadata: { uid: uidOf(pod), labels: { [hashLabel]: hashOf(kept) } } }),
          ),
        );
    }
    await this.#delete(twin);
  }

  async #create(set: DaemonSet, number: bigint): Promise<ControllerRevision> {
    const { api } = this.#environment;
    const wanted = newRevision(set, number);
    const created = await unless(isAlreadyExists, api.create(controllerRevisions, wanted));
    if (created) return created;
    const there = await api.get(controllerRevisions, keyOf(wanted));
    if (holds(there, set.spec?.template)) return there;
    // Another template has the same hash: the next attempt uses another name.
    const collisionCount = (set.status?.collisionCount ?? 0) + 1;
    await api.update(daemonSets, { ...set, status: { ...(set.status as DaemonSetStatus), collisionCount } }, { subresource: 'status' });
    throw new Error(`the name of the revision ${keyTextOf(wanted)} is taken`);
  }

  async #delete(revision: ControllerRevision): Promise<void> {
    await unless(
      isNotFound,
      this.#environment.api.delete(controllerRevisions, keyOf(revision), { preconditions: { uid: uidOf(revision) } }),
    );
  }
}
