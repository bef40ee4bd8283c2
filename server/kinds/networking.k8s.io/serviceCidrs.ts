import type * as v1 from '../../../api/types/networking/v1.js';
import {
  andThen,
  each,
  inOrder,
  invalid,
  itemsOf,
  joinedAt,
  memberAt,
  members,
  objectRules,
  parseRange,
  Path,
  requiredAs,
  unchanged,
  type Draft,
  type FieldError,
  type Found,
  type Kind,
} from '../language.js';
import { canonicalCidr } from './canonical.js';

const cidrsPath = Path.of('spec', 'cidrs');
const familiesMax = 2;

const cidrsOf = (ranges: Draft<v1.ServiceCIDR>): string[] => itemsOf(memberAt(ranges, 'spec', 'cidrs')).map(String);

function fewCidrs(cidrs: readonly string[], path: Path): FieldError[] {
  return cidrs.length > familiesMax ? [invalid(path, { CIDRs: cidrs }, `may only hold up to ${familiesMax} values`)] : [];
}

function twoFamilies(cidrs: readonly string[], path: Path): FieldError[] {
  const [first, second] = cidrs.map((cidr) => parseRange(cidr)?.family);
  return first !== undefined && first === second
    ? [invalid(path, cidrs, 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64')]
    : [];
}

const validate = objectRules<v1.ServiceCIDR>({
  spec: members<v1.ServiceCIDRSpec>({
    cidrs: requiredAs('at least one CIDR required', andThen(fewCidrs, each(canonicalCidr), twoFamilies)),
  }),
});

/** Ranges are immutable, but a second family may be added. */
function validateKept(ranges: Draft<v1.ServiceCIDR>, old: Draft<v1.ServiceCIDR>): Found {
  const [now, before] = [cidrsOf(ranges), cidrsOf(old)];
  const kept = before.flatMap((cidr, position) => unchanged(now[position], cidr, cidrsPath.index(position)));
  if (now.length === before.length) return kept;
  return before.length === 1 && now.length === familiesMax
    ? inOrder(kept, validate(ranges))
    : [invalid(cidrsPath, memberAt(ranges, 'spec', 'cidrs') ?? null, 'field is immutable')];
}

export const serviceCidrs: Kind<Draft<v1.ServiceCIDR>> = {
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
