import type { ApiObject } from '../../../api/object.js';
import { forbidden } from '../../../api/status.js';
import { ensureObject, objectAt } from '../../../api/json/defaulting.js';
import { memberAt, textAt } from '../../../api/json/members.js';
import { compareAmounts } from '../../registry/validation/quantities.js';
import type { AdmissionPlugin } from '../../registry/admission.js';
import { latestDefault } from '../defaultClass.js';
import type { Lookup } from '../../registry/lookup.js';

const classes = { group: 'storage.k8s.io', resource: 'storageclasses' };
const claimAnnotation = 'volume.beta.kubernetes.io/storage-class';
const defaultAnnotations = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

/** Returns a claim's class by the older annotation or its field; null if not named, empty for none. */
const classOf = (claim: ApiObject): string | null => {
  const annotated = claim.metadata.annotations?.[claimAnnotation];
  const named = memberAt(claim, 'spec', 'storageClassName') ?? null;
  return annotated ?? (named === null ? null : String(named));
};

export const defaultStorageClass = (lookup: Lookup): AdmissionPlugin => ({
  name: 'DefaultStorageClass',
  resources: ['persistentvolumeclaims'],
  async admit({ operation, subresource, object }) {
    if (operation !== 'CREATE' || subresource !== '' || object === null || classOf(object) !== null) return;
    const found = latestDefault(await lookup.list(classes, null), defaultAnnotations);
    if (found !== null) ensureObject(object, 'spec')['storageClassName'] = found.metadata.name ?? '';
  },
});

const sizeOf = (claim: ApiObject): ReturnType<typeof memberAt> => memberAt(claim, 'spec', 'resources', 'requests', 'storage');

/** Only bound claims may grow, and only if their class allows it. */
export const claimResize = (lookup: Lookup): AdmissionPlugin => ({
  name: 'PersistentVolumeClaimResize',
  resources: ['persistentvolumeclaims'],
  async validate({ operation, subresource, resource, name, object, old }) {
    if (operation !== 'UPDATE' || subresource !== '' || object === null || old === null || compareAmounts(sizeOf(object), sizeOf(old)) <= 0)
      return;
    if (textAt(old, 'status', 'phase') !== 'Bound')
      throw forbidden(resource.storage, name, 'Only bound persistent volume claims can be expanded');
    const [now, before] = [classOf(object) ?? '', classOf(old) ?? ''];
    const found = now !== '' && now === before ? await lookup.find(classes, '', now) : null;
    if (found?.['allowVolumeExpansion'] !== true) {
      throw forbidden(
        resource.storage,
        name,
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      );
    }
  },
});

/** Finalizers that protect objects in use; controllers remove them. */
const finalizerOfResource: Readonly<Record<string, string>> = {
  persistentvolumes: 'kubernetes.io/pv-protection',
  persistentvolumeclaims: 'kubernetes.io/pvc-protection',
  volumeattributesclasses: 'kubernetes.io/vac-protection',
};

export const storageInUseProtection = (): AdmissionPlugin => ({
  name: 'StorageObjectInUseProtection',
  resources: ['persistentvolumes', 'persistentvolumeclaims', 'volumeattributesclasses.storage.k8s.io'],
  admit({ operation, subresource, resource, object }) {
    const finalizer = finalizerOfResource[resource.storage.resource];
    if (operation !== 'CREATE' || subresource !== '' || object === null || finalizer === undefined) return;
    const present = objectAt(object, 'metadata')?.['finalizers'];
    const finalizers = Array.isArray(present) ? present.map(String) : [];
    if (!finalizers.includes(finalizer)) object.metadata.finalizers = [...finalizers, finalizer];
  },
});
