import fs from 'node:fs';
import { parse } from 'yaml';
import { keyOf, keyText, keyTextOf, nameOf, namespaceOf, uidOf } from '../../api/meta/object.js';
import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
  type Pod,
  pods,
} from '../../api/types/core/v1.js';
import { storageClasses } from '../../api/types/storage/v1.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isAlreadyExists, isNotFound, messageOf, unless } from '../client/errors.js';
import { every } from '../client/workQueue.js';
import type { ManagerEnvironment } from '../environment.js';
import { claimsOf } from '../volumeprotection/claimUse.js';
import { isFinished } from '../workloads/podState.js';
import { classOf, defaultClass } from './claims.js';
import { makeHostPathVolume, removeHostPath } from './hostPathVolumes.js';
import {
  annotations,
  askedClaim,
  boundClaim,
  boundStatus,
  boundVolume,
  claimStep,
  unboundVolume,
  volumeStep,
  type ClaimStep,
  type EventText,
} from './plan.js';
import { hostPathProvisioner } from './provisioners.js';
import { defaultTemplate, recycledKind, recyclerName, recyclerNamespace, recyclerPod, termsOf } from './recycling.js';
import { countVolumes } from './volumeCounts.js';

const podsByClaim = 'claim';
/** Faults of a disk or another server last for a while. */
const firstRetryMs = 1_000;

/**
 * Binds claims and volumes to each other, requests missing volumes from provisioners, and releases volumes of deleted claims. Writes the volume first: it
 * shows what the claim lacks.
 */
export class VolumeBinder implements Controller {
  readonly #environment: ManagerEnvironment;
  readonly name = 'persistentvolume-binder';
  readonly #claims: QueueController;
  readonly #volumes: QueueController;

  constructor(environment: ManagerEnvironment) {
    this.#environment = environment;
    const retry = { backoffFirstMs: firstRetryMs };
    this.#claims = new QueueController(environment, { name: 'claims', ...retry, sync: (key) => this.#syncClaim(key) });
    this.#volumes = new QueueController(environment, { name: 'volumes', ...retry, sync: (key) => this.#syncVolume(key) });
    this.#claims.watch(persistentVolumeClaims);
    this.#claims.needs(storageClasses);
    const podInformer = this.#claims.needs(pods);
    podInformer.addIndex(podsByClaim, (pod) => claimsOf(pod).map((name) => `${namespaceOf(pod)}/${name}`));
    this.#volumes.watch(persistentVolumes);
    this.#volumes.needs(persistentVolumeClaims).addHandlers({
      changed: (before, after) => {
        this.#queueVolumeOf(before);
        this.#queueVolumeOf(after);
      },
      removed: (claim) => this.#queueVolumeOf(claim),
    });
    this.#claims.needs(persistentVolumes).addHandlers({
      added: (volume) => this.#queueClaimsFor(volume),
      changed: (before, after) => {
        if (before.status?.phase !== after.status?.phase || before.spec?.claimRef?.uid !== after.spec?.claimRef?.uid)
          this.#queueClaimsFor(after);
      },
      removed: (volume) => this.#queueClaimsFor(volume),
    });
    podInformer.addHandlers({ changed: (_, pod) => this.#queueRecycled(pod) });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, informers, options, measures } = this.#environment;
    const again = async (): Promise<void> => {
      await Promise.all([informers.of(persistentVolumes).synced(), informers.of(persistentVolumeClaims).synced()]);
      await every(
        clock,
        options['pvclaimbinder-sync-period'],
        async () => {
          const volumes = informers.of(persistentVolumes).cache.list();
          const claims = informers.of(persistentVolumeClaims).cache.list();
          for (const volume of volumes) this.#volumes.queue.add(keyTextOf(volume));
          for (const claim of claims) this.#claims.queue.add(keyTextOf(claim));
          countVolumes(measures, volumes, claims);
        },
        signal,
      );
    };
    await Promise.all([this.#claims.run(signal), this.#volumes.run(signal), again()]);
  }

  #queueVolumeOf({ spec }: PersistentVolumeClaim): void {
    if (spec?.volumeName) this.#volumes.queue.add(spec.volumeName);
  }

  #queueClaimsFor(volume: PersistentVolume): void {
    const { name = '', namespace = '' } = volume.spec?.claimRef ?? {};
    if (name) this.#claims.queue.add(keyText({ namespace, name }));
    else if (volume.status?.phase === 'Available')
      for (const claim of this.#environment.informers.of(persistentVolumeClaims).cache.list())
        if (!claim.spec?.volumeName && classOf(claim) === classOf(volume)) this.#claims.queue.add(keyTextOf(claim));
  }

  #queueRecycled(pod: Pod): void {
    const prefix = recyclerName({ metadata: { name: '' } });
    if (namespaceOf(pod) === recyclerNamespace && nameOf(pod).startsWith(prefix)) this.#volumes.queue.add(nameOf(pod).slice(prefix.length));
  }

  #tell(claim: PersistentVolumeClaim, event: EventText | null): void {
    if (event) this.#environment.events[event.type](claim, event.reason, event.message);
  }

  async #syncClaim(key: string): Promise<void> {
    const { informers, options } = this.#environment;
    const claim = informers.of(persistentVolumeClaims).cache.get(key);
    if (!claim) return;
    const volumes = informers.of(persistentVolumes).cache;
    const step = claimStep(claim, {
      volumes: volumes.list(),
      volume: (name) => volumes.get(name),
      class: informers.of(storageClasses).cache.get(classOf(claim)),
      defaultClass: defaultClass(informers.of(storageClasses).cache.list()),
      pods: informers
        .of(pods)
        .cache.by(podsByClaim, key)
        .filter((pod) => !isFinished(pod)),
      dynamic: options['enable-dynamic-provisioning'],
      hostPath: options['enable-hostpath-provisioner'],
    });
    await unless(isNotFound, this.#follow(claim, step));
  }

  async #follow(claim: PersistentVolumeClaim, step: ClaimStep): Promise<void> {
    const { api } = this.#environment;
    switch (step.do) {
      case 'bind':
        await this.#bind(claim, step.volume);
        return;
      case 'wait':
        this.#tell(claim, step.event);
        await this.#claimPhase(claim, 'Pending');
        return;
      case 'lose':
        if (claim.status?.phase === 'Lost') return;
        await api.update(persistentVolumeClaims, { ...claim, status: { phase: 'Lost' } }, { subresource: 'status' });
        this.#tell(claim, step.event);
        return;
      case 'assign':
        await api.update(persistentVolumeClaims, { ...claim, spec: { ...claim.spec, storageClassName: step.class } });
        return;
      case 'ask': {
        const asked = askedClaim(claim, step.provisioner);
        this.#tell(claim, step.event);
        await this.#claimPhase(asked ? await api.update(persistentVolumeClaims, asked) : claim, 'Pending');
        return;
      }
      case 'make': {
        const volume = await makeHostPathVolume(claim, step.class);
        const made = await unless(isAlreadyExists, api.create(persistentVolumes, volume));
        if (made === null) await removeHostPath(volume.spec?.hostPath?.path ?? '');
        else {
          const message = `Successfully provisioned volume ${nameOf(volume)} using ${hostPathProvisioner}`;
          this.#environment.events.normal(claim, 'ProvisioningSucceeded', message);
        }
      }
    }
  }

  async #bind(claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
    const { api } = this.#environment;
    const toVolume = boundVolume(volume, claim);
    await this.#volumePhase(toVolume ? await api.update(persistentVolumes, toVolume) : volume, 'Bound');
    const toClaim = boundClaim(claim, volume);
    const written = toClaim ? await api.update(persistentVolumeClaims, toClaim) : claim;
    const status = boundStatus(written, volume);
    if (status) await api.update(persistentVolumeClaims, { ...written, status }, { subresource: 'status' });
  }

  async #claimPhase(claim: PersistentVolumeClaim, phase: string): Promise<void> {
    if (claim.status?.phase === phase) return;
    await this.#environment.api.update(persistentVolumeClaims, { ...claim, status: { ...claim.status, phase } }, { subresource: 'status' });
  }

  async #volumePhase(volume: PersistentVolume, phase: string, message?: string): Promise<PersistentVolume> {
    if (volume.status?.phase === phase && (volume.status.message ?? '') === (message ?? '')) return volume;
    const { message: _, reason: __, ...before } = volume.status ?? {};
    const status = { ...before, phase, ...(message === undefined ? {} : { message }) };
    return this.#environment.api.update(persistentVolumes, { ...volume, status }, { subresource: 'status' });
  }

  async #syncVolume(key: string): Promise<void> {
    const volume = this.#environment.informers.of(persistentVolumes).cache.get(key);
    if (volume) await unless(isNotFound, this.#followVolume(volume, await this.#claimOf(volume)));
  }

  /** Returns the claim of a volume. Queries the server before a claim counts as gone: data may be at stake, and the cache may lag. */
  async #claimOf({ spec }: PersistentVolume): Promise<PersistentVolumeClaim | null> {
    const { name = '', namespace = '', uid } = spec?.claimRef ?? {};
    if (!uid) return null;
    const key = { namespace, name };
    const cached = this.#environment.informers.of(persistentVolumeClaims).cache.get(keyText(key));
    if (cached && uidOf(cached) === uid) return cached;
    return unless(isNotFound, this.#environment.api.get(persistentVolumeClaims, key));
  }

  async #followVolume(volume: PersistentVolume, claim: PersistentVolumeClaim | null): Promise<void> {
    const { api, events } = this.#environment;
    const step = volumeStep(volume, claim);
    switch (step.do) {
      case 'free':
        await this.#volumePhase(volume, 'Available');
        return;
      case 'keep':
        await this.#volumePhase(volume, 'Bound');
        return;
      case 'ask claim':
        if (step.mismatch && claim) {
          const [claimed, offered] = [JSON.stringify(nameOf(claim)), JSON.stringify(nameOf(volume))];
          const why = 'due to incompatible volumeMode.';
          events.warning(volume, 'VolumeMismatch', `Cannot bind PersistentVolume to requested PersistentVolumeClaim ${claimed} ${why}`);
          events.warning(claim, 'VolumeMismatch', `Cannot bind PersistentVolume ${offered} to requested PersistentVolumeClaim ${why}`);
        } else if (claim) this.#claims.queue.add(keyTextOf(claim));
        return;
      case 'unbind':
        await this.#volumePhase(await api.update(persistentVolumes, unboundVolume(volume)), 'Available');
        return;
      case 'release':
        await this.#reclaim(volume.status?.phase === 'Failed' ? volume : await this.#volumePhase(volume, 'Released'));
    }
  }

  async #reclaim(volume: PersistentVolume): Promise<void> {
    switch (volume.spec?.persistentVolumeReclaimPolicy) {
      case 'Delete':
        await this.#delete(volume);
        return;
      case 'Recycle':
        await this.#recycle(volume);
        return;
      default:
        return;
    }
  }

  /** External provisioners delete their own volumes. */
  async #delete(volume: PersistentVolume): Promise<void> {
    const { api, events } = this.#environment;
    const maker = volume.metadata.annotations?.[annotations.provisionedBy];
    const directory = volume.spec?.hostPath?.path;
    if (maker !== undefined && maker !== hostPathProvisioner) return;
    if (volume.metadata.deletionTimestamp !== undefined && maker === undefined) return;
    try {
      if (directory === undefined) throw new Error(`no deletable volume plugin matched ${nameOf(volume)}`);
      await removeHostPath(directory);
    } catch (error) {
      if (volume.status?.phase === 'Failed') return;
      events.warning(volume, 'VolumeFailedDelete', messageOf(error));
      await this.#volumePhase(volume, 'Failed', messageOf(error));
      return;
    }
    await api.delete(persistentVolumes, keyOf(volume), { preconditions: { uid: uidOf(volume) } });
  }

  /** A pod empties the volume; afterwards the volume is free. */
  async #recycle(volume: PersistentVolume): Promise<void> {
    const { api, events, informers, options } = this.#environment;
    const kind = recycledKind(volume);
    const fail = async (message: string): Promise<void> => {
      if (volume.status?.phase === 'Failed') return;
      events.warning(volume, 'VolumeFailedRecycle', message);
      await this.#volumePhase(volume, 'Failed', message);
    };
    if (kind === null) return fail('no recyclable volume plugin matched');
    const key = { namespace: recyclerNamespace, name: recyclerName(volume) };
    const pod = informers.of(pods).cache.get(keyText(key));
    if (!pod) {
      if (volume.status?.phase === 'Failed') return;
      const file =
        kind === 'nfs' ? options['pv-recycler-pod-template-filepath-nfs'] : options['pv-recycler-pod-template-filepath-hostpath'];
      const template = file ? (parse(fs.readFileSync(file, 'utf8')) as Pod) : defaultTemplate;
      await unless(isAlreadyExists, api.create(pods, recyclerPod(volume, template, termsOf(kind, options))));
      return;
    }
    if (!isFinished(pod)) return;
    await unless(isNotFound, api.delete(pods, key, { preconditions: { uid: uidOf(pod) } }));
    if (pod.status?.phase !== 'Succeeded') return fail(`the pod that should empty the volume has failed: ${pod.status?.message ?? ''}`);
    events.normal(volume, 'VolumeRecycled', 'Volume recycled');
    const { claimRef: _, ...spec } = volume.spec ?? {};
    await this.#volumePhase(await api.update(persistentVolumes, { ...unboundVolume(volume), spec }), 'Available');
  }
}
