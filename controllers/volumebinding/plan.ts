import { nameOf, namespaceOf, uidOf } from '../../api/meta/object.js';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../api/types/core/v1.js';
import type { StorageClass } from '../../api/types/storage/v1.js';
import { bestVolume, classOf, isFor, mismatch, namesClass, sameMode } from './claims.js';
import { provisionerOf } from './provisioners.js';

/** The next steps for claims and volumes. Pure. */

export const annotations = {
  bindCompleted: 'pv.kubernetes.io/bind-completed',
  boundByController: 'pv.kubernetes.io/bound-by-controller',
  provisionedBy: 'pv.kubernetes.io/provisioned-by',
  selectedNode: 'volume.kubernetes.io/selected-node',
  provisioner: 'volume.kubernetes.io/storage-provisioner',
  olderProvisioner: 'volume.beta.kubernetes.io/storage-provisioner',
} as const;

export interface EventText {
  readonly type: 'normal' | 'warning';
  readonly reason: string;
  readonly message: string;
}

export type ClaimStep =
  | { readonly do: 'bind'; readonly volume: PersistentVolume }
  | { readonly do: 'wait'; readonly event: EventText | null }
  | { readonly do: 'lose'; readonly event: EventText }
  /** A default class came after the claim. */
  | { readonly do: 'assign'; readonly class: string }
  /** An external provisioner creates the volume; annotations request it. */
  | { readonly do: 'ask'; readonly provisioner: string; readonly event: EventText }
  | { readonly do: 'make'; readonly class: StorageClass };

export interface ClaimContext {
  readonly volumes: readonly PersistentVolume[];
  readonly volume: (name: string) => PersistentVolume | undefined;
  readonly class: StorageClass | undefined;
  readonly defaultClass: StorageClass | null;
  /** Unfinished pods that name the claim. */
  readonly pods: readonly Pod[];
  readonly dynamic: boolean;
  readonly hostPath: boolean;
}

const has = ({ metadata }: PersistentVolumeClaim | PersistentVolume, annotation: string): boolean =>
  metadata.annotations?.[annotation] !== undefined;

export function claimStep(claim: PersistentVolumeClaim, around: ClaimContext): ClaimStep {
  return has(claim, annotations.bindCompleted) ? boundStep(claim, around) : unboundStep(claim, around);
}

function boundStep(claim: PersistentVolumeClaim, { volume: byName }: ClaimContext): ClaimStep {
  const lost = (reason: string, message: string): ClaimStep => ({ do: 'lose', event: { type: 'warning', reason, message } });
  const name = claim.spec?.volumeName;
  if (!name) return lost('ClaimLost', 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!');
  const volume = byName(name);
  if (!volume) return lost('ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!');
  const reference = volume.spec?.claimRef;
  return reference === undefined || reference.uid === uidOf(claim)
    ? { do: 'bind', volume }
    : lost('ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly');
}

function unboundStep(claim: PersistentVolumeClaim, around: ClaimContext): ClaimStep {
  const name = claim.spec?.volumeName;
  if (name) return namedStep(claim, around.volume(name));
  const delayed = around.class?.volumeBindingMode === 'WaitForFirstConsumer';
  const volume = bestVolume(claim, around.volumes, delayed);
  if (volume) return { do: 'bind', volume };
  if (!namesClass(claim) && around.defaultClass) return { do: 'assign', class: nameOf(around.defaultClass) };
  // The scheduler has chosen a node and no volume: one is to be created there.
  if (delayed && !has(claim, annotations.selectedNode)) return { do: 'wait', event: waitingFor(around.pods) };
  if (classOf(claim) !== '') return provisionStep(claim, around);
  const message = 'no persistent volumes available for this claim and no storage class is set';
  return { do: 'wait', event: { type: 'normal', reason: 'FailedBinding', message } };
}

function namedStep(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined): ClaimStep {
  if (!volume) return { do: 'wait', event: null };
  const isTaken = volume.spec?.claimRef !== undefined && !isFor(volume, claim);
  if (isTaken) {
    const taken = `volume ${JSON.stringify(nameOf(volume))} already bound to a different claim.`;
    return { do: 'wait', event: { type: 'warning', reason: 'FailedBinding', message: taken } };
  }
  const why = volume.spec?.claimRef === undefined ? mismatch(volume, claim) : null;
  if (why === null) return { do: 'bind', volume };
  const message = `Cannot bind to requested volume ${JSON.stringify(nameOf(volume))}: ${why}`;
  return { do: 'wait', event: { type: 'warning', reason: 'VolumeMismatch', message } };
}

function waitingFor(pods: readonly Pod[]): EventText {
  const names = pods
    .filter(({ spec }) => !spec?.nodeName)
    .map(nameOf)
    .sort();
  return names.length === 0
    ? { type: 'normal', reason: 'WaitForFirstConsumer', message: 'waiting for first consumer to be created before binding' }
    : {
        type: 'normal',
        reason: 'WaitForPodScheduled',
        message: `waiting for ${names.length > 1 ? 'pods' : 'pod'} ${names.join(',')} to be scheduled`,
      };
}

function provisionStep(claim: PersistentVolumeClaim, { class: storageClass, dynamic, hostPath }: ClaimContext): ClaimStep {
  if (!dynamic) return { do: 'wait', event: null };
  const failed = (message: string): ClaimStep => ({ do: 'wait', event: { type: 'warning', reason: 'ProvisioningFailed', message } });
  if (!storageClass) return failed(`storageclass.storage.k8s.io ${JSON.stringify(classOf(claim))} not found`);
  const provisioner = provisionerOf(storageClass.provisioner, hostPath);
  if (provisioner === null) return failed(`no volume plugin matched name: ${storageClass.provisioner}`);
  if (provisioner === 'here') return { do: 'make', class: storageClass };
  const message = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
  return { do: 'ask', provisioner, event: { type: 'normal', reason: 'ExternalProvisioning', message } };
}

export type VolumeStep =
  | { readonly do: 'free' }
  | { readonly do: 'keep' }
  /** Its claim does not refer to it yet, and is queued. */
  | { readonly do: 'ask claim'; readonly mismatch: boolean }
  | { readonly do: 'release' }
  /** The claim has another volume, and this one is released. */
  | { readonly do: 'unbind' };

/** `claim` is the volume's; null when it no longer exists. */
export function volumeStep(volume: PersistentVolume, claim: PersistentVolumeClaim | null): VolumeStep {
  const reference = volume.spec?.claimRef;
  if (!reference?.uid) return { do: 'free' };
  if (!claim || uidOf(claim) !== reference.uid) return { do: 'release' };
  const chosen = claim.spec?.volumeName;
  if (!chosen) return { do: 'ask claim', mismatch: !sameMode(volume, claim) };
  if (chosen === nameOf(volume)) return { do: 'keep' };
  return has(volume, annotations.provisionedBy) && volume.spec?.persistentVolumeReclaimPolicy === 'Delete'
    ? { do: 'release' }
    : { do: 'unbind' };
}

/** Null where the volume is bound already. */
export function boundVolume(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume | null {
  const reference = volume.spec?.claimRef;
  if (reference?.uid === uidOf(claim) && isFor(volume, claim)) return null;
  const { resourceVersion } = claim.metadata;
  const claimRef = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    namespace: namespaceOf(claim),
    name: nameOf(claim),
    uid: uidOf(claim),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  // A user's reservation is not marked as this program's.
  const metadata = reference ? volume.metadata : annotated(volume.metadata, { [annotations.boundByController]: 'yes' });
  return { ...volume, metadata, spec: { ...volume.spec, claimRef } };
}

/** Null where the claim is bound already. */
export function boundClaim(claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolumeClaim | null {
  const chosen = claim.spec?.volumeName === nameOf(volume);
  if (chosen && has(claim, annotations.bindCompleted)) return null;
  const metadata = annotated(claim.metadata, {
    [annotations.bindCompleted]: 'yes',
    ...(chosen ? {} : { [annotations.boundByController]: 'yes' }),
  });
  return { ...claim, metadata, spec: { ...claim.spec, volumeName: nameOf(volume) } };
}

/** Returns the claim's status as bound to the volume; null if unchanged. Sets the capacity once; afterwards volume expansion changes it. */
export function boundStatus({ status }: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolumeClaim['status'] | null {
  const { accessModes, capacity, volumeAttributesClassName } = volume.spec ?? {};
  if (status?.phase === 'Bound') return null;
  return {
    ...status,
    phase: 'Bound',
    ...(accessModes ? { accessModes } : {}),
    ...(capacity?.['storage'] === undefined ? {} : { capacity: { ...status?.capacity, storage: capacity['storage'] } }),
    ...(volumeAttributesClassName ? { currentVolumeAttributesClassName: volumeAttributesClassName } : {}),
  };
}

/** Returns the volume without its claim, but with a user's reservation. */
export function unboundVolume(volume: PersistentVolume): PersistentVolume {
  const { claimRef, ...spec } = volume.spec ?? {};
  if (has(volume, annotations.boundByController)) {
    const { [annotations.boundByController]: _, ...rest } = volume.metadata.annotations ?? {};
    return { ...volume, metadata: { ...volume.metadata, annotations: rest }, spec };
  }
  const { uid: _, resourceVersion: __, ...reference } = claimRef ?? {};
  return { ...volume, spec: { ...spec, ...(claimRef ? { claimRef: reference } : {}) } };
}

/** Null where the claim has the annotations for a provisioner. */
export function askedClaim(claim: PersistentVolumeClaim, provisioner: string): PersistentVolumeClaim | null {
  const { provisioner: newer, olderProvisioner: older } = annotations;
  if (claim.metadata.annotations?.[newer] === provisioner && claim.metadata.annotations[older] === provisioner) return null;
  return { ...claim, metadata: annotated(claim.metadata, { [newer]: provisioner, [older]: provisioner }) };
}

const annotated = (metadata: PersistentVolume['metadata'], more: Readonly<Record<string, string>>): PersistentVolume['metadata'] => ({
  ...metadata,
  annotations: { ...metadata.annotations, ...more },
});
