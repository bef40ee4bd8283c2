import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { objectsIn } from '../../../../api/json/defaulting.js';
import { textAt } from '../../../../api/json/members.js';
import { withoutLeadingZeros } from '../../../registry/validation/addresses.js';
import { forbidden, invalid, notSupported, type Path, required, type FieldError } from '../../../registry/validation/field.js';
import { dnsSubdomain, ipAddress } from '../../../registry/validation/values.js';
import { isLoadBalancer } from './kinds.js';
import { isIP } from 'node:net';

const modes = ['Proxy', 'VIP'];

/** The load balancer's report, common to services and ingresses. */
export function validateBalancerStatus(balancer: JsonObject, service: ApiObject | null, path: Path): FieldError[] {
  const entries = objectsIn(balancer, 'ingress');
  if (service !== null && !isLoadBalancer(service) && entries.length > 0)
    return [forbidden(path.child('ingress'), "may only be used when `spec.type` is 'LoadBalancer'")];
  return entries.flatMap((entry, position) => validateEntry(entry, path.child('ingress').index(position)));
}

function validateEntry(entry: JsonObject, path: Path): FieldError[] {
  const [address, host, mode] = [textAt(entry, 'ip'), textAt(entry, 'hostname'), entry['ipMode'] ?? null];
  const findings: FieldError[] = address === '' ? [] : ipAddress(address, path.child('ip'));
  if (address !== '' && mode === null) findings.push(required(path.child('ipMode'), 'must be specified when `ip` is set'));
  else if (address === '' && mode !== null) findings.push(forbidden(path.child('ipMode'), 'may not be specified when `ip` is not set'));
  else if (mode !== null && !modes.includes(String(mode))) findings.push(notSupported(path.child('ipMode'), mode, modes));
  if (host !== '') {
    findings.push(...dnsSubdomain(host, path.child('hostname')));
    if (isIP(withoutLeadingZeros(host)) !== 0)
      findings.push(invalid(path.child('hostname'), host, 'must be a DNS name, not an IP address'));
  }
  return findings;
}
