import { isTerminating, nameOf } from '../../api/meta/object.js';
import type { Condition } from '../../api/types/meta/v1.js';
import type { IPAddress, ServiceCIDR } from '../../api/types/networking/v1.js';
import { contains, parseAddress, parseCidr, type Cidr } from '../addresses/cidr.js';

/** Whether a range of service addresses may be deleted. Pure. */

export const finalizer = 'networking.k8s.io/service-cidr-finalizer';

export const rangesOf = ({ spec }: ServiceCIDR): readonly Cidr[] => (spec?.cidrs ?? []).flatMap((text) => parseCidr(text) ?? []);

/** Returns addresses that would belong to no range any more. */
export function stranded(going: ServiceCIDR, all: readonly ServiceCIDR[], addresses: readonly IPAddress[]): readonly string[] {
  const own = rangesOf(going);
  const others = all.filter((each) => nameOf(each) !== nameOf(going) && !isTerminating(each)).flatMap(rangesOf);
  return addresses.map(nameOf).filter((name) => {
    const address = parseAddress(name);
    return address !== null && own.some((range) => contains(range, address)) && !others.some((range) => contains(range, address));
  });
}

type Said = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;
export const ready: Said = { type: 'Ready', status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' };
export const busy: Said = {
  type: 'Ready',
  status: 'False',
  reason: 'Terminating',
  message: 'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR',
};

export const says = ({ status }: ServiceCIDR, said: Said): boolean =>
  status?.conditions?.some(
    ({ type, status: truth, reason = '' }) => type === said.type && truth === said.status && reason === said.reason,
  ) ?? false;
