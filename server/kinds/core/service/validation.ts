import * as enums from '../../../../api/data/enums.js';
import {
  addressAnd,
  all,
  byDefault,
  cidr,
  completed,
  created,
  distinct,
  dnsLabel,
  dnsSubdomain,
  duplicate,
  each,
  endpointAddress,
  forbidden,
  forbiddenAs,
  ifOwner,
  inOrder,
  insteadOfZero,
  invalid,
  invalidAs,
  isSet,
  itemsOf,
  labelMap,
  members,
  missing,
  nonZero,
  objectRules,
  ofEach,
  off,
  on,
  oneOf,
  optional,
  orEmpty,
  orZero,
  Path,
  portNumber,
  portNumberOrName,
  qualified,
  required,
  requiredPointer,
  specOf,
  unrepeated,
  when,
  whenOwner,
  type Draft,
  type FieldError,
  type Found,
  type Rule,
  type Writable,
} from '../../language.js';
import type * as v1 from '../../../../api/types/core/v1.js';
import { addressing, validateAddressingUpdate } from './addressing.js';
import {
  isExternallyAccessible,
  isExternalName,
  isHeadless,
  isLoadBalancer,
  needsClusterIP,
  needsHealthCheckPort,
  opensNodePorts,
  type Spec,
} from './kinds.js';

type Port = Writable<v1.ServicePort>;

const annotationsPath = Path.of('metadata', 'annotations');
const affinitySeconds = 10_800;
const affinitySecondsMax = 86_400;
const rangesAnnotation = 'service.beta.kubernetes.io/load-balancer-source-ranges';
/** Two names of one annotation: the older is still read. */
const hintsAnnotations = { older: 'service.kubernetes.io/topology-aware-hints', newer: 'service.kubernetes.io/topology-mode' } as const;
const balancerOnly = "may only be used when `type` is 'LoadBalancer'";

function sameHints({ annotations = {} }: Draft<v1.Service>['metadata']): FieldError[] {
  const [older, newer] = [annotations[hintsAnnotations.older], annotations[hintsAnnotations.newer]];
  if (older === undefined || newer === undefined || older === newer) return [];
  const text = `must match annotations[${hintsAnnotations.older}] when both are specified`;
  return [invalid(annotationsPath.key(hintsAnnotations.newer), newer, text)];
}

const notExternal = nonZero((_, path) => [forbidden(path, 'may not be set for ExternalName services')]);
const hostName = required(dnsSubdomain);
const externalName = members<v1.ServiceSpec>({
  clusterIPs: notExternal,
  ipFamilies: notExternal,
  ipFamilyPolicy: notExternal,
  externalName: orEmpty((name, path) => hostName(name.replace(/\.$/, ''), path, null)),
});

const notHeadless = whenOwner(
  (spec: Spec) => opensNodePorts(spec) && isHeadless(spec),
  (_, path, { type }) => [invalid(path.index(0), 'None', `may not be set to 'None' for ${type} services`)],
);

function portsWith(name: Rule<string | undefined>): Rule<readonly Port[] | undefined> {
  const itsName = members<v1.ServicePort>({ name });
  const others = members<v1.ServicePort>({
    port: portNumber,
    protocol: insteadOfZero('TCP', oneOf(...enums.Protocol)),
    targetPort: all(
      insteadOfZero(({ port }) => port ?? 0),
      portNumberOrName,
    ),
    appProtocol: optional(qualified),
  });
  return distinct<Port>('name', (once) =>
    all(
      itsName,
      when((port) => (port.name ?? '') !== '', once),
      others,
    ),
  );
}
const [namedPorts, maybeNamedPorts] = [portsWith(required(dnsLabel)), portsWith(nonZero(dnsLabel))];

const keyOf = ({ protocol = '' }: Port, port = 0): string => `${protocol} ${port}`;
const differingPorts = all<readonly Port[] | undefined, Spec>(
  whenOwner(
    ({ type }) => type === 'ClusterIP',
    each(members<v1.ServicePort>({ nodePort: nonZero((_, path) => [forbidden(path, "may not be used when `type` is 'ClusterIP'")]) })),
  ),
  // A node port of 0 is not allocated yet; a port of 0 is an ordinary one.
  unrepeated(
    (port: Port) => keyOf(port, port.nodePort),
    ({ nodePort = 0 }, path) => (nodePort === 0 ? [] : [duplicate(path.child('nodePort'), nodePort)]),
  ),
  unrepeated(
    (port: Port) => keyOf(port, port.port),
    ({ protocol, port = 0 }, path) => [
      duplicate(path, { Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 }),
    ],
  ),
);

const clientIP = members<v1.ClientIPConfig>({
  timeoutSeconds: orZero((seconds, path) =>
    seconds > 0 && seconds <= affinitySecondsMax
      ? []
      : [invalid(path, seconds, `must be greater than 0 and less than ${affinitySecondsMax}`)],
  ),
});

const externalAddress = (address: string, path: Path): FieldError[] => addressAnd(address, path, () => endpointAddress(address, path));

/** An annotation listed the ranges before there was a field. */
function sourceRanges(spec: Spec, path: Path, { metadata: { annotations } }: Pick<Draft<v1.Service>, 'metadata'>): Found {
  const ranges = itemsOf(spec.loadBalancerSourceRanges).map((range) => range.trim());
  const annotation = annotations?.[rangesAnnotation];
  if (ranges.length === 0 && annotation === undefined) return [];
  const at = ranges.length > 0 ? path.child('LoadBalancerSourceRanges') : annotationsPath.key(rangesAnnotation);
  const annotated = (annotation ?? '').trim() === '' ? [] : (annotation ?? '').split(',').map((range) => range.trim());
  return inOrder(
    isLoadBalancer(spec) ? [] : [forbidden(at, balancerOnly)],
    ofEach(ranges, (range, position) => cidr(range, at.index(position))),
    ranges.length > 0 ? [] : ofEach(annotated, (range) => cidr(range, at)),
  );
}

const balancerClass: Rule<string | undefined, Spec> = ifOwner(isLoadBalancer, optional(qualified), forbiddenAs(balancerOnly));

function alignAffinity(spec: Spec): void {
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'ClientIP' && !isSet(spec.sessionAffinityConfig?.clientIP?.timeoutSeconds))
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: affinitySeconds } };
}

/** Addresses and node ports are allocated later. */
const spec = created<Spec, Draft<v1.Service>>(
  members<v1.ServiceSpec>({
    ports: whenOwner((spec) => !isHeadless(spec) && !isExternalName(spec), required()),
    clusterIPs: notHeadless,
  }),
  when(isExternalName, externalName),
  members<v1.ServiceSpec>({
    ports: ifOwner(({ ports }: Spec) => itemsOf(ports).length > 1, namedPorts, maybeNamedPorts),
    selector: optional(labelMap),
    sessionAffinity: insteadOfZero('None', oneOf(...enums.ServiceAffinity)),
    sessionAffinityConfig: all(
      whenOwner(({ sessionAffinity }: Spec) => sessionAffinity === 'None', forbiddenAs('must not be set when session affinity is None')),
      whenOwner(({ sessionAffinity }: Spec) => sessionAffinity === 'ClientIP', members<v1.SessionAffinityConfig>({ clientIP })),
    ),
  }),
  completed<Spec>(alignAffinity),
  addressing,
  members<v1.ServiceSpec>({
    externalIPs: each(externalAddress),
    type: insteadOfZero('ClusterIP', oneOf(...enums.ServiceType)),
    ports: differingPorts,
    externalTrafficPolicy: whenOwner(isExternallyAccessible, insteadOfZero('Cluster')),
    internalTrafficPolicy: whenOwner(needsClusterIP, byDefault('Cluster')),
  }),
  sourceRanges,
  members<v1.ServiceSpec>({
    allocateLoadBalancerNodePorts: ifOwner(
      isLoadBalancer,
      all<boolean | undefined>(byDefault(true), (wanted) => (isSet(wanted) ? [] : [missing(Path.of('allocateLoadBalancerNodePorts'), '')])),
      forbiddenAs(balancerOnly),
    ),
    loadBalancerClass: balancerClass,
    externalTrafficPolicy: ifOwner(
      isExternallyAccessible,
      required(oneOf(...enums.ServiceExternalTrafficPolicy)),
      nonZero(invalidAs('may only be set for externally-accessible services')),
    ),
    healthCheckNodePort: ifOwner(
      needsHealthCheckPort,
      required(portNumber),
      nonZero(invalidAs("may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'")),
    ),
    internalTrafficPolicy: all(whenOwner(needsClusterIP, requiredPointer()), optional(oneOf(...enums.ServiceInternalTrafficPolicy))),
    trafficDistribution: optional(
      on('PreferSameTrafficDistribution', oneOf('PreferClose', 'PreferSameZone', 'PreferSameNode')),
      off('PreferSameTrafficDistribution', oneOf('PreferClose')),
    ),
  }),
);

export const validateService = objectRules<v1.Service>({ metadata: sameHints, spec });

function changedClass(spec: Spec, old: Spec): Found {
  const value = spec.loadBalancerClass;
  const path = Path.of('spec', 'loadBalancerClass');
  const changed = isLoadBalancer(old) && isLoadBalancer(spec) && value !== old.loadBalancerClass;
  return inOrder(changed ? [invalid(path, value, 'may not change once set')] : [], balancerClass(value, path, spec));
}

/** Balancers use the port, so it stays while it is needed. */
function changedHealthCheckPort(spec: Spec, old: Spec): FieldError[] {
  if (!needsHealthCheckPort(old) || !needsHealthCheckPort(spec) || (spec.healthCheckNodePort ?? 0) === (old.healthCheckNodePort ?? 0))
    return [];
  return [forbidden(Path.of('spec', 'healthCheckNodePort'), 'field is immutable')];
}

export function validateServiceUpdate(service: Draft<v1.Service>, before: Draft<v1.Service>): Found {
  const [spec, old] = [specOf(service), specOf(before)];
  return inOrder(validateAddressingUpdate(spec, old), changedClass(spec, old), changedHealthCheckPort(spec, old), validateService(service));
}
