import type * as v1 from '../../../../api/types/core/v1.js';
import { isSet, type Writable } from '../../language.js';
import type { EnabledFeatures } from '../../../../program/features/gates.js';

/** The newer of two members may name any kind, the older one two of them. */

type Spec = Writable<v1.PersistentVolumeClaimSpec>;
type Source = Writable<v1.TypedLocalObjectReference>;

const isOlderKind = ({ apiGroup, kind }: Source): boolean =>
  kind === 'PersistentVolumeClaim' ? (apiGroup ?? '') === '' : kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io';

/** Drops unsupported values and copies the member that is set to the other one. */
export function alignSources(spec: Spec, old: Spec | null, enabled: EnabledFeatures): void {
  const { dataSource: source, dataSourceRef: newer } = spec;
  // Claims that named another namespace before may keep it while the feature is off.
  if (!enabled('CrossNamespaceVolumeDataSource') && newer?.namespace && !isSet(old?.dataSourceRef)) delete spec.dataSourceRef;
  const usedBefore = isSet(old?.dataSource) || isSet(old?.dataSourceRef);
  if (isSet(source) && !usedBefore && !isSet(spec.dataSourceRef) && !isOlderKind(source)) delete spec.dataSource;
  copySource(spec);
}

/** Claims of earlier servers have only one. */
export function copySource(spec: Spec): void {
  const { dataSource: older, dataSourceRef: newer } = spec;
  if (isSet(older) && !isSet(newer)) spec.dataSourceRef = copy(older);
  else if (!isSet(older) && isSet(newer) && !newer.namespace) spec.dataSource = copy(newer);
}

const copy = ({ apiGroup = null, kind = '', name = '' }: Source): Source => ({ apiGroup, kind, name });
