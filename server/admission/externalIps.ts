import type { ApiObject } from '../../api/object.js';
import { forbidden } from '../../api/status.js';
import { objectAt } from '../../api/json/defaulting.js';
import { itemsOf } from '../../api/json/members.js';
import type { AdmissionPlugin } from '../registry/admission.js';

const services = { group: '', resource: 'services' };
const addressesOf = (service: ApiObject): readonly string[] => itemsOf((objectAt(service, 'spec') ?? {})['externalIPs']).map(String);

/** Services may not take over further addresses. */
export const denyServiceExternalIps = (): AdmissionPlugin => ({
  name: 'DenyServiceExternalIPs',
  resources: ['services'],
  validate({ name, subresource, object, old }) {
    if (subresource !== '' || object === null) return;
    const present = old === null ? [] : addressesOf(old);
    if (addressesOf(object).some((address) => !present.includes(address)))
      throw forbidden(services, name, 'Use of external IPs is denied by admission control');
  },
});
