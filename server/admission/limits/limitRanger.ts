import type { ApiObject } from '../../api/object.js';
import { forbidden } from '../../api/status.js';
import { objectAt, objectsIn } from '../../registry/defaulting.js';
import type { AdmissionPlugin, AdmissionRequest } from '../contract.js';
import type { Lookup } from '../lookup.js';
import { claimComplaints, podComplaints } from './complaints.js';
import { setContainerResources } from './defaults.js';

const RANGES = { group: '', resource: 'limitranges' };

/** Pods cannot change what they ask for, but claims can. */
const isLimited = ({ operation, resource, subresource, object, old }: AdmissionRequest): boolean =>
  object !== null && subresource === '' && old?.metadata.deletionTimestamp === undefined
  && (operation === 'CREATE' || (operation === 'UPDATE' && resource.storage.resource === 'persistentvolumeclaims'));

const itemsOf = (range: ApiObject): ReturnType<typeof objectsIn> => objectsIn(objectAt(range, 'spec') ?? {}, 'limits');

/** Fills in and checks the resources of pods and claims, as the limit ranges of their namespace want it. */
export const limitRanger = (lookup: Lookup): AdmissionPlugin => ({
  name: 'LimitRanger',
  resources: ['pods', 'persistentvolumeclaims'],
  async admit(request) {
    if (!isLimited(request) || request.resource.storage.resource !== 'pods' || request.object === null) return;
    for (const range of await lookup.list(RANGES, request.namespace)) setContainerResources(request.object, itemsOf(range));
  },
  async validate(request) {
    if (!isLimited(request) || request.object === null) return;
    const complaintsOf = request.resource.storage.resource === 'pods' ? podComplaints : claimComplaints;
    for (const range of await lookup.list(RANGES, request.namespace)) {
      const complaints = [...new Set(complaintsOf(objectAt(request.object, 'spec') ?? {}, itemsOf(range)))];
      if (complaints.length > 0) throw forbidden(request.resource.storage, request.name, complaints.length === 1 ? complaints[0] ?? '' : `[${complaints.join(', ')}]`);
    }
  },
});
