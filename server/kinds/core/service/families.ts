import type { ApiObject, JsonObject } from '../../../api/object.js';
import { isSixText, type Family } from '../../../registry/validation/addresses.js';
import { invalid, Path, type FieldError } from '../../../registry/validation/field.js';
import { validateAddressing } from './addressing.js';
import {
  clusterIPsOf,
  familiesOf,
  isExternalName,
  isHeadless,
  lacksPolicy,
  needsClusterIP,
  policyOf,
  sameSpec,
  specOf,
  typeOf,
} from './kinds.js';

/** Works out which address families a service has, from what the client said, the state before, and what the cluster is set up for. */

const spec = Path.of('spec');

/** Older clients know one address only: keeps the list equal to it, unless both were set and contradict each other. */
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

/** A service that prefers both families keeps what it has when the cluster changes: only its owner adds or removes one. */
export const keepsFamilies = (service: ApiObject, old: ApiObject | null): boolean =>
  old !== null &&
  needsClusterIP(service) &&
  typeOf(service) === typeOf(old) &&
  policyOf(service) === 'PreferDualStack' &&
  policyOf(old) === 'PreferDualStack' &&
  sameSpec(service, old, 'clusterIPs', 'ipFamilies');

/** Fills in families and policy; returns why they cannot be had. `configured` starts with the cluster's main family. */
export function settleFamilies(service: ApiObject, old: ApiObject | null, configured: readonly Family[]): FieldError[] {
  if (isExternalName(service) || keepsFamilies(service, old)) return [];
  const spec = specOf(service);
  if (lacksPolicy(service) && old !== null && policyOf(old) !== '') spec['ipFamilyPolicy'] = policyOf(old);
  if (old !== null) trimDowngrade(service, old);
  const addressing = validateAddressing(service);
  if (addressing.length > 0) return addressing;
  const contradictions = [...singleStackFindings(service), ...inferFamilies(service, configured)];
  if (contradictions.length > 0) return contradictions;
  if (isHeadless(service) && Object.keys((spec['selector'] ?? {}) as JsonObject).length === 0) {
    settleUnselected(service, configured);
    return [];
  }
  const unavailable = unavailableFindings(service, configured);
  if (unavailable.length > 0) return unavailable;
  if (policyOf(service) === '') spec['ipFamilyPolicy'] = 'SingleStack';
  if (familiesOf(service).length === 0) spec['ipFamilies'] = configured.slice(0, 1);
  if (policyOf(service) !== 'SingleStack' && configured.length === 2) addOtherFamily(service);
  return [];
}

/** Setting the policy alone is enough to give the second address back. */
function trimDowngrade(service: ApiObject, old: ApiObject): void {
  if (policyOf(service) !== 'SingleStack' || !policyOf(old).endsWith('DualStack')) return;
  const spec = specOf(service);
  for (const member of ['clusterIPs', 'ipFamilies']) {
    const values = spec[member];
    if (Array.isArray(values) && values.length > 1) spec[member] = values.slice(0, 1);
  }
}

function singleStackFindings(service: ApiObject): FieldError[] {
  const policy = policyOf(service);
  if (policy !== '' && policy !== 'SingleStack') return [];
  const refused = (member: string, values: readonly string[]): FieldError[] =>
    values.length === 2
      ? [
          invalid(
            spec.child('ipFamilyPolicy'),
            policy === '' ? null : policy,
            `must be RequireDualStack or PreferDualStack when multiple ${member} are specified`,
          ),
        ]
      : [];
  return [...refused('clusterIPs', clusterIPsOf(service)), ...refused('ipFamilies', familiesOf(service))];
}

/** An address tells its family. */
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

/** Whoever lists endpoints by hand may list any: both families, unless the client says otherwise. */
function settleUnselected(service: ApiObject, configured: readonly Family[]): void {
  const spec = specOf(service);
  if (familiesOf(service).length === 0) spec['ipFamilies'] = configured.slice(0, 1);
  if (policyOf(service) === '') spec['ipFamilyPolicy'] = 'RequireDualStack';
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
