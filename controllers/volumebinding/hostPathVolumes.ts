import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { nameOf, namespaceOf, uidOf } from '../../api/meta/object.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/types/core/v1.js';
import type { StorageClass } from '../../api/types/storage/v1.js';
import { annotations } from './plan.js';
import { hostPathProvisioner } from './provisioners.js';

/** Volumes in directories of this machine, for tests of single-machine clusters. Nothing outside this folder is removed. */
const folder = '/tmp/hostpath_pv';

export async function makeHostPathVolume(claim: PersistentVolumeClaim, storageClass: StorageClass): Promise<PersistentVolume> {
  const directory = path.join(folder, randomUUID());
  await fs.mkdir(directory, { recursive: true, mode: 0o777 });
  return {
    metadata: {
      name: `pvc-${uidOf(claim)}`,
      annotations: { [annotations.provisionedBy]: hostPathProvisioner, [annotations.boundByController]: 'yes' },
    },
    spec: {
      capacity: { storage: claim.spec?.resources?.requests?.['storage'] ?? '0' },
      accessModes: claim.spec?.accessModes ?? [],
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      storageClassName: nameOf(storageClass),
      hostPath: { path: directory },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: namespaceOf(claim), name: nameOf(claim), uid: uidOf(claim) },
    },
  };
}

/** Throws for a path that this program cannot have created. */
export async function removeHostPath(directory: string): Promise<void> {
  if (path.dirname(path.resolve(directory)) !== folder) throw new Error(`${directory} is not below ${folder}, and stays`);
  await fs.rm(directory, { recursive: true, force: true });
}
