import type { JsonObject } from '../../../../api/object.js';
import type { EnabledFeatures } from '../../../../program/features/fieldGates.js';
import { objectAt } from '../../../../api/json/defaulting.js';
import { textAt } from '../../../../api/json/members.js';

/** The newer of two members may name any kind, the older one two of them. */

const isOlderKind = (source: JsonObject): boolean => {
  const [group, kind] = [textAt(source, 'apiGroup'), textAt(source, 'kind')];
  return (kind === 'PersistentVolumeClaim' && group === '') || (kind === 'VolumeSnapshot' && group === 'snapshot.storage.k8s.io');
};

/** Drops unsupported values and copies the member that is set to the other one. */
export function alignSources(spec: JsonObject, old: JsonObject | null, enabled: EnabledFeatures): void {
  // Claims that named another namespace before may keep it while the feature is off.
  if (
    !enabled('CrossNamespaceVolumeDataSource') &&
    textAt(spec, 'dataSourceRef', 'namespace') !== '' &&
    objectAt(old ?? {}, 'dataSourceRef') === null
  )
    delete spec['dataSourceRef'];
  const newer = objectAt(spec, 'dataSourceRef');
  const source = objectAt(spec, 'dataSource');
  const usedBefore = old !== null && (objectAt(old, 'dataSource') !== null || objectAt(old, 'dataSourceRef') !== null);
  if (source !== null && !usedBefore && newer === null && !isOlderKind(source)) delete spec['dataSource'];
  copySource(spec);
}

/** Claims of earlier servers have only one. */
export function copySource(spec: JsonObject): void {
  const [older, newer] = [objectAt(spec, 'dataSource'), objectAt(spec, 'dataSourceRef')];
  if (older !== null && newer === null) spec['dataSourceRef'] = copy(older);
  else if (older === null && newer !== null && textAt(newer, 'namespace') === '') spec['dataSource'] = copy(newer);
}

const copy = (source: JsonObject): JsonObject => ({
  apiGroup: source['apiGroup'] ?? null,
  kind: source['kind'] ?? '',
  name: source['name'] ?? '',
});
