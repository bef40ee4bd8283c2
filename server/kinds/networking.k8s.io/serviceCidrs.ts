import type { ServiceCIDR } from '../../../api/types/networking/v1.js';
import { itemsOf, memberAt } from '../../../api/json/members.js';
import { parseRange } from '../../registry/validation/addresses.js';
import { invalid, Path, required, type FieldError } from '../../registry/validation/field.js';
import { unchanged } from '../../registry/validation/immutable.js';
import { joinedAt } from '../cells.js';
import type { Draft, Kind } from '../kind.js';
import { canonicalCidr } from './canonical.js';

const cidrsPath = Path.of('spec', 'cidrs');
const familiesMax = 2;

const cidrsOf = (ranges: Draft<ServiceCIDR>): string[] => itemsOf(memberAt(ranges, 'spec', 'cidrs')).map(String);

function validate(ranges: Draft<ServiceCIDR>): FieldError[] {
  const cidrs = cidrsOf(ranges);
  if (cidrs.length === 0) return [required(cidrsPath, 'at least one CIDR required')];
  if (cidrs.length > familiesMax) return [invalid(cidrsPath, { CIDRs: cidrs }, `may only hold up to ${familiesMax} values`)];
  const families = cidrs.map((cidr) => parseRange(cidr)?.family);
  const sameFamily = cidrs.length === familiesMax && families[0] === families[1] && families[0] !== undefined;
  return [
    ...cidrs.flatMap((cidr, position) => canonicalCidr(cidr, cidrsPath.index(position))),
    ...(sameFamily
      ? [invalid(cidrsPath, cidrs, 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64')]
      : []),
  ];
}

/** Ranges are immutable, but a second family may be added. */
function validateKept(ranges: Draft<ServiceCIDR>, old: Draft<ServiceCIDR>): FieldError[] {
  const [now, before] = [cidrsOf(ranges), cidrsOf(old)];
  const kept = before.flatMap((cidr, position) => unchanged(now[position], cidr, cidrsPath.index(position)));
  if (now.length === before.length) return kept;
  return before.length === 1 && now.length === familiesMax
    ? [...kept, ...validate(ranges)]
    : [invalid(cidrsPath, memberAt(ranges, 'spec', 'cidrs') ?? null, 'field is immutable')];
}

export const serviceCidrs: Kind<Draft<ServiceCIDR>> = {
  name: 'servicecidrs.networking.k8s.io',
  validate,
  update: {
    review: ['objectMetaUpdate', validateKept],
  },
  subresources: {
    status: {
      keepsMetadata: true,
      review: ['objectMetaUpdate'],
    },
  },
  cells: {
    CIDRs: joinedAt('spec.cidrs[]'),
  },
};
