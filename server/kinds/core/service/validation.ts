import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { objectAt } from '../../../../api/json/defaulting.js';
import { entryOf, itemsOf, membersOf, textAt } from '../../../../api/json/members.js';
import { cidr, endpointAddress } from '../../../registry/validation/addresses.js';
import { duplicate, forbidden, invalid, notSupported, Path, required, type FieldError } from '../../../registry/validation/field.js';
import { whileOff, whileOn } from '../../../registry/validation/gatedFindings.js';
import { validateLabels } from '../../../registry/validation/metadata.js';
import { addressAnd, dnsLabel, dnsSubdomain, portNumber, portNumberOrName, qualified } from '../../../registry/validation/values.js';
import { validateAddressing } from './addressing.js';
import {
  clusterIPsOf,
  familiesOf,
  isExternallyAccessible,
  isHeadless,
  isLoadBalancer,
  needsClusterIP,
  needsHealthCheckPort,
  policyOf,
  typeOf,
} from './kinds.js';
import { specOf } from '../../parts.js';
import { inOrder, ofEach, type Found } from '../../../registry/validation/ofEach.js';

const specPath = Path.of('spec');
const portsPath = specPath.child('ports');
const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const protocols = ['SCTP', 'TCP', 'UDP'];
const affinities = ['ClientIP', 'None'];
const policies = ['Cluster', 'Local'];
const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
const firstDistributions = ['PreferClose'];
const affinitySecondsMax = 86_400;
const rangesAnnotation = 'service.beta.kubernetes.io/load-balancer-source-ranges';
/** Two names of one annotation: the older is still read. */
const hintsAnnotations = { older: 'service.kubernetes.io/topology-aware-hints', newer: 'service.kubernetes.io/topology-mode' } as const;
const balancerOnly = "may only be used when `type` is 'LoadBalancer'";

const portsOf = (service: ApiObject): JsonObject[] => itemsOf(specOf(service)['ports']).map(membersOf);

/** All findings about a service, in the reference's order. */
export function validateService(service: ApiObject): Found {
  return inOrder(
    validateHints(service),
    portsOf(service).length === 0 && !isHeadless(service) && typeOf(service) !== 'ExternalName' ? [required(portsPath, '')] : [],
    entryOf(byType, typeOf(service))?.(service) ?? [],
    validatePorts(service),
    validateLabels((objectAt(specOf(service), 'selector') as Record<string, string> | null) ?? undefined, specPath.child('selector')),
    validateAffinity(specOf(service)),
    validateAddressing(service),
    ofEach(itemsOf(specOf(service)['externalIPs']), (address, position) =>
      externalAddress(String(address), specPath.child('externalIPs').index(position)),
    ),
    types.includes(typeOf(service)) ? [] : [notSupported(specPath.child('type'), typeOf(service), types)],
    validateNodePorts(service),
    validateSourceRanges(service),
    validateNodePortAllocation(service),
    validateBalancerClass(service, null),
    validateExternalTraffic(service),
    validateInternalTraffic(service),
    validateDistribution(service),
  );
}

function validateHints({ metadata: { annotations = {} } }: ApiObject): FieldError[] {
  const [older, newer] = [annotations[hintsAnnotations.older], annotations[hintsAnnotations.newer]];
  if (older === undefined || newer === undefined || older === newer) return [];
  return [
    invalid(
      Path.of('metadata', 'annotations').key(hintsAnnotations.newer),
      newer,
      `must match annotations[${hintsAnnotations.older}] when both are specified`,
    ),
  ];
}

const noneRefused = (service: ApiObject): FieldError[] =>
  isHeadless(service)
    ? [invalid(specPath.child('clusterIPs').index(0), 'None', `may not be set to 'None' for ${typeOf(service)} services`)]
    : [];

const byType: Readonly<Record<string, (service: ApiObject) => FieldError[]>> = {
  LoadBalancer: noneRefused,
  NodePort: noneRefused,
  ExternalName: (service) => {
    const name = textAt(service, 'spec', 'externalName').replace(/\.$/, '');
    const refused = (member: string, present: boolean): FieldError[] =>
      present ? [forbidden(specPath.child(member), 'may not be set for ExternalName services')] : [];
    return [
      ...refused('clusterIPs', clusterIPsOf(service).length > 0),
      ...refused('ipFamilies', familiesOf(service).length > 0),
      ...refused('ipFamilyPolicy', policyOf(service) !== ''),
      ...(name === '' ? [required(specPath.child('externalName'), '')] : dnsSubdomain(name, specPath.child('externalName'))),
    ];
  },
};

function validatePorts(service: ApiObject): Found {
  const ports = portsOf(service);
  const names = new Set<string>();
  return ofEach(ports, (port, position) => {
    const path = portsPath.index(position);
    const protocol = textAt(port, 'protocol');
    return [
      ...portName(textAt(port, 'name'), names, ports.length > 1, path.child('name')),
      ...portNumber(port['port'], path.child('port')),
      ...(protocol === ''
        ? [required(path.child('protocol'), '')]
        : protocols.includes(protocol)
          ? []
          : [notSupported(path.child('protocol'), protocol, protocols)]),
      ...portNumberOrName(port['targetPort'] ?? 0, path.child('targetPort')),
      ...(typeof port['appProtocol'] === 'string' ? qualified(port['appProtocol'], path.child('appProtocol')) : []),
    ];
  });
}

function portName(name: string, names: Set<string>, needed: boolean, path: Path): FieldError[] {
  if (name === '') return needed ? [required(path, '')] : [];
  const repeated = names.has(name);
  names.add(name);
  return [...dnsLabel(name, path), ...(repeated ? [duplicate(path, name)] : [])];
}

function validateAffinity(spec: JsonObject): FieldError[] {
  const affinity = textAt(spec, 'sessionAffinity');
  const path = specPath.child('sessionAffinityConfig');
  if (affinity === '') return [required(specPath.child('sessionAffinity'), '')];
  if (!affinities.includes(affinity)) return [notSupported(specPath.child('sessionAffinity'), affinity, affinities)];
  const config = objectAt(spec, 'sessionAffinityConfig');
  if (affinity === 'None') return config === null ? [] : [forbidden(path, 'must not be set when session affinity is None')];
  const seconds = Number(objectAt(config ?? {}, 'clientIP')?.['timeoutSeconds'] ?? 0);
  return seconds > 0 && seconds <= affinitySecondsMax
    ? []
    : [invalid(path.child('clientIP', 'timeoutSeconds'), seconds, `must be greater than 0 and less than ${affinitySecondsMax}`)];
}

function externalAddress(address: string, path: Path): FieldError[] {
  return addressAnd(address, path, () => endpointAddress(address, path));
}

function validateNodePorts(service: ApiObject): Found {
  const ports = portsOf(service);
  const repeated = (member: string, found: (port: JsonObject, path: Path) => FieldError[]): Found => {
    const seen = new Set<string>();
    return ofEach(ports, (port, position) => {
      const key = `${textAt(port, 'protocol')} ${Number(port[member] ?? 0)}`;
      const known = seen.has(key);
      seen.add(key);
      return known ? found(port, portsPath.index(position)) : [];
    });
  };
  return inOrder(
    typeOf(service) !== 'ClusterIP'
      ? []
      : ofEach(ports, (port, position) =>
          (port['nodePort'] ?? 0) === 0
            ? []
            : [forbidden(portsPath.index(position).child('nodePort'), "may not be used when `type` is 'ClusterIP'")],
        ),
    // A node port of 0 is not allocated yet; a port of 0 is an ordinary one.
    repeated('nodePort', (port, path) => ((port['nodePort'] ?? 0) === 0 ? [] : [duplicate(path.child('nodePort'), port['nodePort'])])),
    repeated('port', (port, path) => [
      duplicate(path, { Name: '', Protocol: port['protocol'], AppProtocol: null, Port: port['port'] ?? 0, TargetPort: 0, NodePort: 0 }),
    ]),
  );
}

/** An annotation listed the ranges before there was a field. */
function validateSourceRanges(service: ApiObject): Found {
  const ranges = itemsOf(specOf(service)['loadBalancerSourceRanges']).map((range) => String(range).trim());
  const annotation = service.metadata.annotations?.[rangesAnnotation];
  if (ranges.length === 0 && annotation === undefined) return [];
  const path = ranges.length > 0 ? specPath.child('LoadBalancerSourceRanges') : Path.of('metadata', 'annotations').key(rangesAnnotation);
  const annotated = (annotation ?? '').trim() === '' ? [] : (annotation ?? '').split(',').map((range) => range.trim());
  return inOrder(
    isLoadBalancer(service) ? [] : [forbidden(path, balancerOnly)],
    ofEach(ranges, (range, position) => cidr(range, path.index(position))),
    ranges.length > 0 ? [] : ofEach(annotated, (range) => cidr(range, path)),
  );
}

function validateNodePortAllocation(service: ApiObject): FieldError[] {
  const wanted = specOf(service)['allocateLoadBalancerNodePorts'] ?? null;
  if (wanted !== null && !isLoadBalancer(service)) return [forbidden(specPath.child('allocateLoadBalancerNodePorts'), balancerOnly)];
  return wanted === null && isLoadBalancer(service) ? [required(Path.of('allocateLoadBalancerNodePorts'), '')] : [];
}

export function validateBalancerClass(service: ApiObject, old: ApiObject | null): FieldError[] {
  const path = specPath.child('loadBalancerClass');
  const value = specOf(service)['loadBalancerClass'] ?? null;
  const changed = old !== null && isLoadBalancer(old) && isLoadBalancer(service) && value !== (specOf(old)['loadBalancerClass'] ?? null);
  const refused = value === null ? [] : isLoadBalancer(service) ? qualified(String(value), path) : [forbidden(path, balancerOnly)];
  return [...(changed ? [invalid(path, value, 'may not change once set')] : []), ...refused];
}

function validateExternalTraffic(service: ApiObject): FieldError[] {
  const policy = textAt(service, 'spec', 'externalTrafficPolicy');
  const port = specOf(service)['healthCheckNodePort'] ?? 0;
  const [policyPath, portPath] = [specPath.child('externalTrafficPolicy'), specPath.child('healthCheckNodePort')];
  const findings: FieldError[] = [];
  if (!isExternallyAccessible(service)) {
    if (policy !== '') findings.push(invalid(policyPath, policy, 'may only be set for externally-accessible services'));
  } else if (policy === '') findings.push(required(policyPath, ''));
  else if (!policies.includes(policy)) findings.push(notSupported(policyPath, policy, policies));
  if (!needsHealthCheckPort(service)) {
    if (port !== 0)
      findings.push(invalid(portPath, port, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"));
  } else findings.push(...(port === 0 ? [required(portPath, '')] : portNumber(port, portPath)));
  return findings;
}

/** Balancers use the port, so it stays while it is needed. */
export function validateHealthCheckPortUpdate(service: ApiObject, old: ApiObject): FieldError[] {
  if (!needsHealthCheckPort(old) || !needsHealthCheckPort(service)) return [];
  const [port, before] = [service, old].map((each) => specOf(each)['healthCheckNodePort'] ?? 0);
  return port === before ? [] : [forbidden(specPath.child('healthCheckNodePort'), 'field is immutable')];
}

function validateInternalTraffic(service: ApiObject): FieldError[] {
  const policy = specOf(service)['internalTrafficPolicy'] ?? null;
  const path = specPath.child('internalTrafficPolicy');
  if (policy === null) return needsClusterIP(service) ? [required(path, '')] : [];
  return policies.includes(String(policy)) ? [] : [notSupported(path, policy, policies)];
}

function validateDistribution(service: ApiObject): FieldError[] {
  const wanted = specOf(service)['trafficDistribution'] ?? null;
  const unless = (known: readonly string[]): FieldError[] =>
    wanted === null || known.includes(String(wanted)) ? [] : [notSupported(specPath.child('trafficDistribution'), wanted, known)];
  return [
    ...whileOn('PreferSameTrafficDistribution', unless(distributions)),
    ...whileOff('PreferSameTrafficDistribution', unless(firstDistributions)),
  ];
}
