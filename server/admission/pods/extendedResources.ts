import { ensureObject, objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { isExtendedResource } from '../../registry/validation/resourceNames.js';
import type { AdmissionPlugin } from '../../registry/admission.js';
import { mergeTolerations } from './tolerations.js';

/** A taint named after a device reserves its nodes for pods that request the device, which tolerate it. */
export const extendedResourceToleration = (): AdmissionPlugin => ({
  name: 'ExtendedResourceToleration',
  resources: ['pods'],
  admit({ operation, subresource, object }) {
    if ((operation !== 'CREATE' && operation !== 'UPDATE') || subresource !== '' || object === null) return;
    const spec = ensureObject(object, 'spec');
    const requested = [...objectsIn(spec, 'containers'), ...objectsIn(spec, 'initContainers')]
      .flatMap((container) => Object.keys(objectAt(objectAt(container, 'resources') ?? {}, 'requests') ?? {}))
      .filter(isExtendedResource);
    if (requested.length === 0) return;
    const added = [...new Set(requested)].sort().map((key) => ({ key, operator: 'Exists', effect: 'NoSchedule' }));
    spec['tolerations'] = mergeTolerations(objectsIn(spec, 'tolerations'), added);
  },
});
