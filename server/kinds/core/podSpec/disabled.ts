import type { JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn } from '../../../registry/defaulting.js';

/** Projections of volumes that need a feature which is off unless asked for. */
const disabledSources = ['clusterTrustBundle', 'podCertificate'];

/** Removes members that this release knows but does not have switched on; the reference drops them without a word. */
export function dropDisabledFields(spec: JsonObject): void {
  delete spec['schedulingGroup'];
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'])
    for (const container of objectsIn(spec, list)) dropStopSignal(container);
  for (const volume of objectsIn(spec, 'volumes'))
    for (const source of objectsIn(objectAt(volume, 'projected') ?? {}, 'sources'))
      for (const member of disabledSources) delete source[member];
}

/** The same for the template of a workload. */
export function dropDisabledTemplateFields(workload: JsonObject): void {
  const template = objectAt(objectAt(workload, 'spec') ?? {}, 'template');
  if (template !== null) dropDisabledFields(objectAt(template, 'spec') ?? {});
}

function dropStopSignal(container: JsonObject): void {
  const lifecycle = objectAt(container, 'lifecycle');
  if (lifecycle?.['stopSignal'] === undefined) return;
  delete lifecycle['stopSignal'];
  if (Object.keys(lifecycle).length === 0) delete container['lifecycle'];
}
