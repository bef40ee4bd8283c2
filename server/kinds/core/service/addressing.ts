import * as enums from '../../../../api/data/enums.js';
import {
  all,
  distinct,
  invalid,
  ipAddress,
  isDualStack,
  isSixText,
  members,
  missing,
  oneOf,
  optional,
  Path,
  when,
  type FieldError,
} from '../../language.js';
import type * as v1 from '../../../../api/types/core/v1.js';
import { clusterIPsOf, familiesOf, isExternalName, isHeadless, policyOf, type Spec } from './kinds.js';

const addressesMax = 2;
const familyNames = ['IPv4', 'IPv6'];
export const familyOf = (address: string): 'IPv4' | 'IPv6' => (isSixText(address) ? 'IPv6' : 'IPv4');

function primary(addresses: readonly string[] = [], path: Path, { clusterIP = '' }: Spec): FieldError[] {
  if (clusterIP === '') return addresses.length === 0 ? [] : [invalid(path, addresses, 'must be empty when `clusterIP` is not specified')];
  if (addresses.length === 0) return [missing(path, '')];
  return addresses[0] === clusterIP ? [] : [invalid(path, addresses, 'first value must match `clusterIP`')];
}

const malformedIn = (addresses: readonly string[], path: Path): FieldError[] =>
  addresses.flatMap((address, position) => {
    if (position === 0 && address === 'None')
      return addresses.length > 1 ? [invalid(path, addresses, "'None' must be the first and only value")] : [];
    return ipAddress(address, path.index(position));
  });

/** Further errors would only confuse where an address is invalid. */
function agreeing(addresses: readonly string[] = [], path: Path, spec: Spec): FieldError[] {
  const malformed = malformedIn(addresses, path);
  return [
    ...malformed,
    ...(addresses.length > addressesMax ? [invalid(path, addresses, 'may only hold up to 2 values')] : []),
    ...(malformed.length === 0 && addresses.length > 1 && !isDualStack(addresses)
      ? [invalid(path, addresses, 'may specify no more than one IP for each IP family')]
      : []),
    ...(malformed.length > 0 || isHeadless(spec) ? [] : matchFamilies(addresses, familiesOf(spec), path)),
  ];
}

const matchFamilies = (addresses: readonly string[], families: readonly string[], path: Path): FieldError[] =>
  addresses.flatMap((address, position) => {
    const family = families[position];
    // An unknown family is already refused.
    return family === undefined || !familyNames.includes(family) || family === familyOf(address)
      ? []
      : [invalid(path.index(position), address, `expected an ${family} value as indicated by \`ipFamilies[${position}]\``)];
  });

/** External names have none of these, which their type's rules check. */
export const addressing = when(
  (spec: Spec) => !isExternalName(spec),
  members<v1.ServiceSpec>({
    clusterIPs: primary,
    ipFamilies: distinct<string>(null, (once) => all(oneOf(...familyNames), once)),
    ipFamilyPolicy: optional(oneOf(...enums.IPFamilyPolicy)),
  }),
  members<v1.ServiceSpec>({ clusterIPs: agreeing }),
);

const specPath = Path.of('spec');

/** A second address or family may change; the first one is immutable, except from or to an external name. */
export function validateAddressingUpdate(spec: Spec, old: Spec): FieldError[] {
  if (isExternalName(spec) || isExternalName(old)) return [];
  const headless = [isHeadless(old), isHeadless(spec)] as const;
  const [addresses, policy] = [clusterIPsOf(spec), policyOf(spec)];
  return [
    ...(headless[0] && headless[1]
      ? []
      : changesOf({ old: clusterIPsOf(old), now: addresses, path: specPath.child('clusterIPs'), what: 'clusterIP', policy })),
    ...(headless[0] || headless[1]
      ? []
      : changesOf({
          old: familiesOf(old),
          now: familiesOf(spec),
          path: specPath.child('ipFamilies'),
          what: 'ipFamily',
          policy,
          shown: addresses,
        })),
  ];
}

interface Values {
  readonly old: readonly string[];
  readonly now: readonly string[];
  readonly path: Path;
  readonly what: 'clusterIP' | 'ipFamily';
  readonly policy: string;
  /** The quoted values where the first one and their number change: the reference quotes addresses for families. */
  readonly shown?: readonly string[];
}

function changesOf({ old, now, path, what, policy, shown = now }: Values): FieldError[] {
  const changed = (position: number, quoted: readonly string[]): FieldError =>
    invalid(path.index(what === 'clusterIP' ? position : 0), quoted, 'may not change once set');
  if (old.length === now.length) return old.flatMap((value, position) => (value === now[position] ? [] : [changed(position, now)]));
  const primary = old.length > 0 && now.length > 0 && old[0] !== now[0] ? [changed(0, shown)] : [];
  if (old.length < now.length) return primary;
  return [
    ...(now.length === 0 ? [invalid(path.index(0), now, `primary ${what} can not be unset`)] : []),
    ...primary,
    ...(now.length === 1 && policy !== 'SingleStack'
      ? [
          invalid(
            specPath.child('ipFamilyPolicy'),
            policy === '' ? null : policy,
            `must be set to 'SingleStack' when releasing the secondary ${what}`,
          ),
        ]
      : []),
  ];
}
