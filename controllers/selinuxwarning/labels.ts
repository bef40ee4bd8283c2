import { keyTextOf } from '../../api/meta/object.js';
import type { Pod, SELinuxOptions } from '../../api/types/core/v1.js';

export interface Labelled {
  readonly pod: Pod;
  /** '' where the pod has none. */
  readonly label: string;
  readonly policy: string;
}

const text = ({ user = '', role = '', type = '', level = '' }: SELinuxOptions = {}): string => {
  const parts = [user, role, type, level];
  return parts.every((part) => part === '') ? '' : parts.join(':');
};

/** Returns the labels of a pod's containers that mount a volume; several are a fault of the pod alone. */
export function labelsOf(pod: Pod, volumeName: string): readonly string[] {
  const own = pod.spec?.securityContext?.seLinuxOptions;
  const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  const mounting = containers.filter(({ volumeMounts = [] }) => volumeMounts.some(({ name }) => name === volumeName));
  return [...new Set(mounting.map(({ securityContext }) => text({ ...own, ...securityContext?.seLinuxOptions })))];
}

export const policyOf = ({ spec }: Pod): string => spec?.securityContext?.seLinuxChangePolicy ?? 'MountOption';

export interface Conflict {
  readonly property: 'SELinuxLabel' | 'SELinuxChangePolicy';
  readonly one: Labelled;
  readonly other: Labelled;
}

export function conflicts(users: readonly Labelled[]): readonly Conflict[] {
  const ordered = [...users].sort((a, b) => (keyTextOf(a.pod) < keyTextOf(b.pod) ? -1 : 1));
  return ordered.flatMap((one, index) =>
    ordered.slice(index + 1).flatMap((other): Conflict[] => [
      ...(one.policy === other.policy ? [] : [{ property: 'SELinuxChangePolicy' as const, one, other }]),
      // The recursive policy labels files one by one, and accepts any label of the mounted volume.
      ...(one.label === other.label || (one.policy === 'Recursive' && other.policy === 'Recursive')
        ? []
        : [{ property: 'SELinuxLabel' as const, one, other }]),
    ]),
  );
}
