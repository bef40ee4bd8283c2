import { nameOf, uidOf } from '../../api/meta/object.js';
import { parseQuantity, scaledQuantity } from '../../api/quantity.js';
import type { PersistentVolume, Pod } from '../../api/types/core/v1.js';
import type { ControllerManagerOptions } from '../options/flags.js';

/** Pods that empty volumes for reuse. Pure. */

export const recyclerNamespace = 'default';
export const recyclerName = (volume: PersistentVolume): string => `recycler-for-${nameOf(volume)}`;
const volumeName = 'vol';
const gi = 2n ** 30n;

interface Terms {
  readonly leastSeconds: number;
  readonly secondsPerGi: number;
}

/** Returns the kind of a volume that a pod can empty, or null. */
export function recycledKind({ spec }: PersistentVolume): 'nfs' | 'hostPath' | null {
  return spec?.nfs ? 'nfs' : spec?.hostPath ? 'hostPath' : null;
}

export const termsOf = (kind: 'nfs' | 'hostPath', options: ControllerManagerOptions): Terms =>
  kind === 'nfs'
    ? { leastSeconds: options['pv-recycler-minimum-timeout-nfs'], secondsPerGi: options['pv-recycler-increment-timeout-nfs'] }
    : { leastSeconds: options['pv-recycler-minimum-timeout-hostpath'], secondsPerGi: options['pv-recycler-timeout-increment-hostpath'] };

export const defaultTemplate: Pod = {
  metadata: {},
  spec: {
    restartPolicy: 'Never',
    volumes: [{ name: volumeName }],
    containers: [
      {
        name: 'pv-recycler',
        image: 'registry.k8s.io/build-image/debian-base:bookworm-v1.0.6',
        command: ['/bin/sh'],
        args: ['-c', 'test -e /scrub && find /scrub -mindepth 1 -delete && test -z "$(ls -A /scrub)" || exit 1'],
        volumeMounts: [{ name: volumeName, mountPath: '/scrub' }],
      },
    ],
  },
};

export function recyclerPod(volume: PersistentVolume, template: Pod, { leastSeconds, secondsPerGi }: Terms): Pod {
  const size = parseQuantity(volume.spec?.capacity?.['storage'] ?? '0');
  const gigabytes = size.ok ? Number(scaledQuantity(size.quantity, 0) / gi) : 0;
  const { nfs, hostPath } = volume.spec ?? {};
  const volumes = template.spec?.volumes ?? [];
  return {
    metadata: {
      ...template.metadata,
      name: recyclerName(volume),
      namespace: recyclerNamespace,
      labels: { ...template.metadata.labels },
      annotations: { ...template.metadata.annotations, 'pv.kubernetes.io/recycled-volume': uidOf(volume) },
    },
    spec: {
      containers: [],
      ...template.spec,
      activeDeadlineSeconds: Math.max(leastSeconds, secondsPerGi * gigabytes),
      volumes: volumes.map((each) =>
        each.name === volumeName ? { name: volumeName, ...(nfs ? { nfs } : {}), ...(hostPath ? { hostPath } : {}) } : each,
      ),
    },
  };
}
