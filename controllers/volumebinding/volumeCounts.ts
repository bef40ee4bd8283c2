import { namespaceOf } from '../../api/meta/object.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/types/core/v1.js';
import type { LabelsOf, MeasureName, Measures } from '../measures.js';
import { classOf } from './claims.js';

const notKinds: ReadonlySet<string> = new Set(['capacity', 'accessModes', 'claimRef', 'persistentVolumeReclaimPolicy', 'storageClassName']);
const furtherNotKinds: ReadonlySet<string> = new Set(['mountOptions', 'volumeMode', 'nodeAffinity', 'volumeAttributesClassName']);

function pluginOf({ spec }: PersistentVolume): string {
  if (spec?.csi) return `kubernetes.io/csi:${spec.csi.driver}`;
  const kind = Object.keys(spec ?? {}).find((member) => !notKinds.has(member) && !furtherNotKinds.has(member)) ?? 'unknown';
  return `kubernetes.io/${kind.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function countVolumes(measures: Measures, volumes: readonly PersistentVolume[], claims: readonly PersistentVolumeClaim[]): void {
  const tally = <N extends MeasureName, T>(
    name: N & Parameters<Measures['set']>[0],
    all: readonly T[],
    labels: (each: T) => LabelsOf<N & Parameters<Measures['set']>[0]>,
  ): void => {
    const counts = new Map<string, number>();
    for (const each of all) counts.set(JSON.stringify(labels(each)), (counts.get(JSON.stringify(labels(each))) ?? 0) + 1);
    measures.reset(name);
    for (const [key, count] of counts) measures.set(name, JSON.parse(key) as LabelsOf<typeof name>, count);
  };
  const isBound = ({ status }: PersistentVolume | PersistentVolumeClaim): boolean => status?.phase === 'Bound';
  const byClass = (volume: PersistentVolume): { storage_class: string } => ({ storage_class: classOf(volume) });
  const byClaim = (claim: PersistentVolumeClaim): { namespace: string; storage_class: string; volume_attributes_class: string } => ({
    namespace: namespaceOf(claim),
    storage_class: classOf(claim),
    volume_attributes_class: claim.spec?.volumeAttributesClassName ?? '',
  });
  tally('pv_collector_bound_pv_count', volumes.filter(isBound), byClass);
  tally(
    'pv_collector_unbound_pv_count',
    volumes.filter((volume) => !isBound(volume)),
    byClass,
  );
  tally('pv_collector_bound_pvc_count', claims.filter(isBound), byClaim);
  tally(
    'pv_collector_unbound_pvc_count',
    claims.filter((claim) => !isBound(claim)),
    byClaim,
  );
  tally('pv_collector_total_pv_count', volumes, (volume) => ({
    plugin_name: pluginOf(volume),
    volume_mode: volume.spec?.volumeMode ?? 'Filesystem',
  }));
}
