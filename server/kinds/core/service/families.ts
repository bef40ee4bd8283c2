import { atOnce, invalid, Path, standing, withoutKept, type Family, type FieldError } from '../../language.js';
import type { EnabledFeatures } from '../../../../program/features/gates.js';
import { addressing, familyOf } from './addressing.js';
import {
  clusterIPsOf,
  familiesOf,
  isExternalName,
  isHeadless,
  lacksPolicy,
  needsClusterIP,
  policyOf,
  sameSpec,
  type Spec,
} from './kinds.js';

const specPath = Path.of('spec');
const policyPath = specPath.child('ipFamilyPolicy');

/** Older clients know one address: keeps the list equal to it, unless both were set and differ. */
export function alignAddresses(spec: Spec, old: Spec | null): void {
  const address = spec.clusterIP ?? '';
  if (old === null) {
    if (address !== '' && clusterIPsOf(spec).length === 0) spec.clusterIPs = [address];
    return;
  }
  const before = old.clusterIP ?? '';
  if (clusterIPsOf(spec).length === 0 && clusterIPsOf(old).length > 0 && address === before) spec.clusterIPs = clusterIPsOf(old);
  if (address === before || !sameSpec(spec, old, 'clusterIPs')) return;
  if (address === '') delete spec.clusterIPs;
  else spec.clusterIPs = [address];
}

/** A service that prefers both families keeps its own when the cluster changes. */
export const keepsFamilies = (spec: Spec, old: Spec | null): boolean =>
  old !== null &&
  needsClusterIP(spec) &&
  spec.type === old.type &&
  policyOf(spec) === 'PreferDualStack' &&
  policyOf(old) === 'PreferDualStack' &&
  sameSpec(spec, old, 'clusterIPs', 'ipFamilies');

const addressingOf = (spec: Spec): FieldError[] => atOnce(addressing(spec, specPath, null));

/** Fills in families and policy; returns why that is impossible. `configured` starts with the primary family. */
export function settleFamilies(spec: Spec, old: Spec | null, configured: readonly Family[], enabled: EnabledFeatures): FieldError[] {
  if (isExternalName(spec) || keepsFamilies(spec, old)) return [];
  if (lacksPolicy(spec)) spec.ipFamilyPolicy = inferPolicy(spec, old);
  const before = (): FieldError[] => (old === null ? [] : addressingOf(old));
  const findings = withoutKept(standing(addressingOf(spec), enabled, before), before);
  if (findings.length > 0) return findings;
  const contradictions = [...(old === null ? [] : release(spec, old)), ...singleStackFindings(spec), ...inferFamilies(spec, configured)];
  if (contradictions.length > 0) return contradictions;
  if (isUnselected(spec)) {
    if (familiesOf(spec).length === 0) spec.ipFamilies = configured.slice(0, 1);
    if (policyOf(spec) !== 'SingleStack') addOtherFamily(spec);
    return [];
  }
  const unavailable = unavailableFindings(spec, configured);
  if (unavailable.length > 0) return unavailable;
  if (familiesOf(spec).length === 0) spec.ipFamilies = configured.slice(0, 1);
  if (policyOf(spec) !== 'SingleStack' && configured.length === 2) addOtherFamily(spec);
  return [];
}

/** Manual endpoints may have any family, so both are the default. */
const isUnselected = (spec: Spec): boolean => isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0;

/** Creates and updates never change the number of families by default. */
const inferPolicy = (spec: Spec, old: Spec | null): string =>
  policyOf(old ?? {}) || (isUnselected(spec) ? 'RequireDualStack' : 'SingleStack');

/** Only setting the policy alone releases the second address. */
function release(spec: Spec, old: Spec): FieldError[] {
  const policy = policyOf(spec);
  return released.flatMap(({ member, what, valuesOf }) => {
    const [values, before] = [valuesOf(spec), valuesOf(old)];
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

function singleStackFindings(spec: Spec): FieldError[] {
  const policy = policyOf(spec);
  if (policy !== 'SingleStack') return [];
  const refused = (what: string, values: readonly string[]): FieldError[] =>
    values.length === 2
      ? [invalid(policyPath, policy, `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`)]
      : [];
  return [...refused('cluster IPs', clusterIPsOf(spec)), ...refused('IP families', familiesOf(spec))];
}

/** An address determines its family. */
function inferFamilies(spec: Spec, configured: readonly Family[]): FieldError[] {
  const families = familiesOf(spec);
  const addresses = isHeadless(spec) ? [] : clusterIPsOf(spec);
  const findings: FieldError[] = [];
  for (const [position, address] of addresses.entries()) {
    if (position < families.length) continue;
    const family = familyOf(address);
    if (configured.includes(family)) families.push(family);
    else findings.push(invalid(specPath.child('clusterIPs').index(position), addresses, `${family} is not configured on this cluster`));
  }
  if (families.length > 0) spec.ipFamilies = families;
  return findings;
}

function unavailableFindings(spec: Spec, configured: readonly Family[]): FieldError[] {
  const policy = policyOf(spec);
  return [
    ...(policy === 'RequireDualStack' && configured.length < 2
      ? [invalid(policyPath, policy, 'this cluster is not configured for dual-stack services')]
      : []),
    ...familiesOf(spec).flatMap((family, position) =>
      configured.some((known) => known === family)
        ? []
        : [invalid(specPath.child('ipFamilies').index(position), family, 'not configured on this cluster')],
    ),
  ];
}

function addOtherFamily(spec: Spec): void {
  const [first, second] = familiesOf(spec);
  if (first !== undefined && second === undefined) spec.ipFamilies = [first, first === 'IPv4' ? 'IPv6' : 'IPv4'];
}
