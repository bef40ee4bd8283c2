import type { ApiObject } from '../../../../api/object.js';
import { isDualStack, isSixText } from '../../../registry/validation/addresses.js';
import { duplicate, invalid, notSupported, Path, required, type FieldError } from '../../../registry/validation/field.js';
import { ipAddress } from '../../../registry/validation/values.js';
import { clusterIPsOf, familiesOf, isExternalName, isHeadless, lacksPolicy, policyOf } from './kinds.js';
import { specOf } from '../../parts.js';
import { repeats } from '../../../registry/validation/repeats.js';

/** Addresses of a service, their families and policy, which must agree. */

const spec = Path.of('spec');
const addressesPath = spec.child('clusterIPs');
const families = spec.child('ipFamilies');
const policyPath = spec.child('ipFamilyPolicy');
const familyNames = ['IPv4', 'IPv6'];
const policyNames = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
const addressesMax = 2;

/** External names have none of these, which their type's rules check. */
export function validateAddressing(service: ApiObject): FieldError[] {
  if (isExternalName(service)) return [];
  const addresses = clusterIPsOf(service);
  const policy = policyOf(service);
  const malformed = validateAddresses(addresses);
  const isRepeated = repeats(familiesOf(service));
  const findings = [
    ...validatePrimary(String(specOf(service)['clusterIP'] ?? ''), addresses),
    ...familiesOf(service).flatMap((family, position) => [
      ...(familyNames.includes(family) ? [] : [notSupported(families.index(position), family, familyNames)]),
      ...(isRepeated(position) ? [duplicate(families.index(position), family)] : []),
    ]),
    ...(lacksPolicy(service) || policyNames.includes(policy) ? [] : [notSupported(policyPath, policy, policyNames)]),
    ...malformed,
    ...(addresses.length > addressesMax ? [invalid(addressesPath, addresses, 'may only hold up to 2 values')] : []),
  ];
  // Further errors would only confuse where an address is invalid.
  if (malformed.length > 0) return findings;
  if (addresses.length > 1 && !isDualStack(addresses))
    findings.push(invalid(addressesPath, addresses, 'may specify no more than one IP for each IP family'));
  return isHeadless(service) ? findings : [...findings, ...matchFamilies(addresses, familiesOf(service))];
}

function validatePrimary(address: string, addresses: readonly string[]): FieldError[] {
  if (address === '')
    return addresses.length === 0 ? [] : [invalid(addressesPath, addresses, 'must be empty when `clusterIP` is not specified')];
  if (addresses.length === 0) return [required(addressesPath, '')];
  return addresses[0] === address ? [] : [invalid(addressesPath, addresses, 'first value must match `clusterIP`')];
}

const validateAddresses = (addresses: readonly string[]): FieldError[] =>
  addresses.flatMap((address, position) => {
    if (position === 0 && address === 'None')
      return addresses.length > 1 ? [invalid(addressesPath, addresses, "'None' must be the first and only value")] : [];
    return ipAddress(address, addressesPath.index(position));
  });

const matchFamilies = (addresses: readonly string[], families: readonly string[]): FieldError[] =>
  addresses.flatMap((address, position) => {
    const family = families[position];
    // An unknown family is already refused.
    return family === undefined || !familyNames.includes(family) || family === (isSixText(address) ? 'IPv6' : 'IPv4')
      ? []
      : [invalid(addressesPath.index(position), address, `expected an ${family} value as indicated by \`ipFamilies[${position}]\``)];
  });

/** A second address or family may change; the first one is immutable, except from or to an external name. */
export function validateAddressingUpdate(service: ApiObject, old: ApiObject): FieldError[] {
  if (isExternalName(service) || isExternalName(old)) return [];
  const headless = [isHeadless(old), isHeadless(service)] as const;
  const policy = policyOf(service);
  return [
    ...(headless[0] && headless[1]
      ? []
      : changesOf({ old: clusterIPsOf(old), now: clusterIPsOf(service), path: addressesPath, what: 'clusterIP', policy })),
    ...(headless[0] || headless[1]
      ? []
      : changesOf({
          old: familiesOf(old),
          now: familiesOf(service),
          path: families,
          what: 'ipFamily',
          policy,
          shown: clusterIPsOf(service),
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
      ? [invalid(policyPath, policy === '' ? null : policy, `must be set to 'SingleStack' when releasing the secondary ${what}`)]
      : []),
  ];
}
