import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { isSixText, type Family } from '../../../registry/validation/addresses.js';
import { invalid, Path, withoutKept, type FieldError } from '../../../registry/validation/field.js';
import type { EnabledFeatures } from '../../../../program/features/fieldGates.js';
import { standing } from '../../../registry/validation/gatedFindings.js';
import { validateAddressing } from './addressing.js';
import { clusterIPsOf, familiesOf, isExternalName, isHeadless, lacksPolicy, needsClusterIP, policyOf, sameSpec, typeOf } from './kinds.js';
import { specOf } from '../../parts.js';

/** Determines a service's address families from the request, the old state, and the cluster. */

const spec = Path.of('spec');
const policyPath = spec.child('ipFamilyPolicy');

/** Older clients know one address: keeps the list equal to it, unless both were set and differ. */
export function alignAddresses(service: ApiObject, old: ApiObject | null): void {
  const spec = specOf(service);
  const address = String(spec['clusterIP'] ?? '');
  if (old === null) {
    if (address !== '' && clusterIPsOf(service).length === 0) spec['clusterIPs'] = [address];
    return;
  }
  const before = String(specOf(old)['clusterIP'] ?? '');
  if (clusterIPsOf(service).length === 0 && clusterIPsOf(old).length > 0 && address === before) spec['clusterIPs'] = clusterIPsOf(old);
  if (address === before || !sameSpec(service, old, 'clusterIPs')) return;
  if (address === '') delete spec['clusterIPs'];
  else spec['clusterIPs'] = [address];
}

/** A service that prefers both families keeps its own when the cluster changes: only its owner adds or removes one. */
export const keepsFamilies = (service: ApiObject, old: ApiObject | null): boolean =>
  old !== null &&
  needsClusterIP(service) &&
  typeOf(service) === typeOf(old) &&
  policyOf(service) === 'PreferDualStack' &&
  policyOf(old) === 'PreferDualStack' &&
  sameSpec(service, old, 'clusterIPs', 'ipFamilies');

/** Fills in families and policy; returns why that is impossible. `configured` starts with the primary family. */
export function settleFamilies(
  service: ApiObject,
  old: ApiObject | null,
  configured: readonly Family[],
  enabled: EnabledFeatures,
): FieldError[] {
  if (isExternalName(service) || keepsFamilies(service, old)) return [];
  const spec = specOf(service);
  if (lacksPolicy(service)) spec['ipFamilyPolicy'] = inferPolicy(service, old);
  const before = (): FieldError[] => (old === null ? [] : validateAddressing(old));
  const addressing = withoutKept(standing(validateAddressing(service), enabled, before), before);
  if (addressing.length > 0) return addressing;
  const contradictions = [
    ...(old === null ? [] : release(service, old)),
    ...singleStackFindings(service),
    ...inferFamilies(service, configured),
  ];
  if (contradictions.length > 0) return contradictions;
  if (isUnselected(service)) {
    settleUnselected(service, configured);
    return [];
  }
  const unavailable = unavailableFindings(service, configured);
  if (unavailable.length > 0) return unavailable;
  if (familiesOf(service).length === 0) spec['ipFamilies'] = configured.slice(0, 1);
  if (policyOf(service) !== 'SingleStack' && configured.length === 2) addOtherFamily(service);
  return [];
}

/** Manual endpoints may have any family, so both are the default. */
const isUnselected = (service: ApiObject): boolean =>
  isHeadless(service) && Object.keys((specOf(service)['selector'] ?? {}) as JsonObject).length === 0;

/** Creates and updates never change the number of families by default. */
function inferPolicy(service: ApiObject, old: ApiObject | null): string {
  const before = old === null ? '' : policyOf(old);
  return before !== '' ? before : isUnselected(service) ? 'RequireDualStack' : 'SingleStack';
}

/** Only setting the policy alone releases the second address. */
function release(service: ApiObject, old: ApiObject): FieldError[] {
  const [spec, policy] = [specOf(service), policyOf(service)];
  return released.flatMap(({ member, what, valuesOf }) => {
    const [values, before] = [valuesOf(service), valuesOf(old)];
    if (policy !== 'SingleStack')
      return values.length > 0 && values.length < before.length
        ? [invalid(policyPath, policy, `must be 'SingleStack' to release the secondary ${what}`)]
        : [];
    if (values.length > 1 && values.join() === before.join()) spec[member] = values.slice(0, 1);
    return [];
  });
}

const released = [
  { member: 'clusterIPs', what: 'cluster IP', valuesOf: clusterIPsOf },
  { member: 'ipFamilies', what: 'IP family', valuesOf: familiesOf },
] as const;

function singleStackFindings(service: ApiObject): FieldError[] {
  const policy = policyOf(service);
  if (policy !== 'SingleStack') return [];
  const refused = (what: string, values: readonly string[]): FieldError[] =>
    values.length === 2
      ? [invalid(policyPath, policy, `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`)]
      : [];
  return [...refused('cluster IPs', clusterIPsOf(service)), ...refused('IP families', familiesOf(service))];
}

/** An address determines its family. */
function inferFamilies(service: ApiObject, configured: readonly Family[]): FieldError[] {
  const families = familiesOf(service);
  const addresses = isHeadless(service) ? [] : clusterIPsOf(service);
  const findings: FieldError[] = [];
  for (const [position, address] of addresses.entries()) {
    if (position < families.length) continue;
    const family = isSixText(address) ? 'IPv6' : 'IPv4';
    if (configured.includes(family)) families.push(family);
    else findings.push(invalid(spec.child('clusterIPs').index(position), addresses, `${family} is not configured on this cluster`));
  }
  if (families.length > 0) specOf(service)['ipFamilies'] = families;
  return findings;
}

function settleUnselected(service: ApiObject, configured: readonly Family[]): void {
  const spec = specOf(service);
  if (familiesOf(service).length === 0) spec['ipFamilies'] = configured.slice(0, 1);
  if (policyOf(service) !== 'SingleStack') addOtherFamily(service);
}

function unavailableFindings(service: ApiObject, configured: readonly Family[]): FieldError[] {
  return [
    ...(policyOf(service) === 'RequireDualStack' && configured.length < 2
      ? [invalid(spec.child('ipFamilyPolicy'), policyOf(service), 'this cluster is not configured for dual-stack services')]
      : []),
    ...familiesOf(service).flatMap((family, position) =>
      configured.some((known) => known === family)
        ? []
        : [invalid(spec.child('ipFamilies').index(position), family, 'not configured on this cluster')],
    ),
  ];
}

function addOtherFamily(service: ApiObject): void {
  const [first, second] = familiesOf(service);
  if (first !== undefined && second === undefined) specOf(service)['ipFamilies'] = [first, first === 'IPv4' ? 'IPv6' : 'IPv4'];
}
