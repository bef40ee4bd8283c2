import * as enums from '../../../api/data/enums.js';
import {
  addressAnd,
  addressWarnings,
  all,
  andThen,
  at,
  byDefault,
  distinct,
  dnsLabel,
  dnsLabelName,
  dnsSubdomain,
  each,
  endpointAddress,
  entryOf,
  format,
  inOrder,
  invalid,
  itemsOf,
  labelMap,
  labelValueProblems,
  maxItems,
  memberAt,
  members,
  missing,
  nonZero,
  objectRules,
  objectsIn,
  oneOf,
  optional,
  parseOldAddress,
  Path,
  qualified,
  required,
  requiredAs,
  sameValue,
  subdomainName,
  textAt,
  tooMany,
  unset,
  type Draft,
  type FieldError,
  type Found,
  type Kind,
  type NameRule,
  type Rule,
  type Writable,
} from '../language.js';
import type * as v1 from '../../../api/types/discovery/v1.js';

const endpointsMax = 1000;
const addressesMax = 100;
const portsMax = 20_000;
const topologyLabelsMax = 16;
const hintsMax = 8;
const managedBy = 'endpointslice.kubernetes.io/managed-by';
const controllers: ReadonlySet<string> = new Set(['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io']);
const endpoints = Path.of('endpoints');

const addressTypeOf = (slice: Draft<v1.EndpointSlice>): string => textAt(slice, 'addressType');

/** The older topology is no longer accepted; stored values stay until the endpoints change. */
function dropTopology(slice: Draft<v1.EndpointSlice>, old: Draft<v1.EndpointSlice> | null): void {
  if (old !== null && sameValue(slice.endpoints ?? null, old.endpoints ?? null)) return;
  const hosts = new Set(
    old === null ? [] : objectsIn(old, 'endpoints').map((endpoint) => textAt(endpoint, 'deprecatedTopology', 'kubernetes.io/hostname')),
  );
  for (const endpoint of objectsIn(slice, 'endpoints')) {
    const host = textAt(endpoint, 'deprecatedTopology', 'kubernetes.io/hostname');
    if (endpoint.nodeName === undefined && host !== '' && hosts.has(host) && subdomainName(host, false).length === 0)
      endpoint.nodeName = host;
    delete endpoint.deprecatedTopology;
  }
}

const ofFamily =
  (family: 'IPv4' | 'IPv6'): Rule<string> =>
  (address, path) =>
    addressAnd(address, path, () => [
      ...(parseOldAddress(address)?.family === family ? [] : [invalid(path.parent, address, `must be an ${family} address`)]),
      ...endpointAddress(address, path),
    ]);

/** A name of at least two parts; only its first error is reported. */
function domainName(value: string, path: Path): FieldError[] {
  if (value === '') return [missing(path, '')];
  const name = value.replace(/\.$/, '');
  const problems = subdomainName(name, false);
  if (problems.length > 0) return [invalid(path, name, problems.join(','))];
  const parts = name.split('.');
  if (parts.length < 2) return [invalid(path, name, 'should be a domain with at least two segments separated by dots')];
  const wrong = parts.find((part) => dnsLabelName(part, false).length > 0);
  return wrong === undefined ? [] : [invalid(path, wrong, dnsLabelName(wrong, false).join(','))];
}

/** Hints for zones and for nodes have the same form. */
const hints = (rule: NameRule): Rule<Writable<v1.ForZone>[] | undefined> =>
  andThen(
    maxItems(hintsMax),
    distinct<Writable<v1.ForZone>>('name', (once) => all(once, ({ name = '' }, path) => format(rule)(name, path.child('name')))),
  );

const endpointOf = (address: Rule<string>): Rule<Writable<v1.Endpoint>> =>
  members<v1.Endpoint>({
    addresses: all<string[] | null | undefined>(requiredAs('must contain at least 1 address'), maxItems(addressesMax), each(address)),
    nodeName: optional(dnsSubdomain),
    deprecatedTopology: all((labels, path) => {
      const count = Object.keys(labels ?? {}).length;
      return count > topologyLabelsMax ? [tooMany(path, count, topologyLabelsMax)] : [];
    }, optional(labelMap)),
    hostname: optional(dnsLabel),
    hints: optional(members<v1.EndpointHints>({ forZones: hints((name) => labelValueProblems(name)), forNodes: hints(subdomainName) })),
  });

const endpointsOf = (address: Rule<string>): Rule<Writable<v1.Endpoint>[] | null | undefined> =>
  andThen(maxItems(endpointsMax), each(endpointOf(address)));
const endpointsOfType: Readonly<Record<string, ReturnType<typeof endpointsOf>>> = {
  FQDN: endpointsOf(domainName),
  IPv4: endpointsOf(ofFamily('IPv4')),
  IPv6: endpointsOf(ofFamily('IPv6')),
};
const endpointsOfNoType = endpointsOf(() => []);

const addressTypeRules = objectRules<v1.EndpointSlice>({ addressType: required(oneOf(...enums.AddressType)) });

const endpointsRules = (slice: Draft<v1.EndpointSlice>): Found =>
  (entryOf(endpointsOfType, addressTypeOf(slice)) ?? endpointsOfNoType)(slice.endpoints, endpoints, null);

const portsRules = objectRules<v1.EndpointSlice>({
  ports: andThen(
    maxItems(portsMax),
    distinct<Writable<v1.EndpointPort>>('name', (once) =>
      all(
        members<v1.EndpointPort>({ name: byDefault('', nonZero(dnsLabel)) }),
        once,
        members<v1.EndpointPort>({ protocol: byDefault('TCP', oneOf(...enums.Protocol)), appProtocol: optional(qualified) }),
      ),
    ),
  ),
});

/** Addresses in an unusual spelling, which controllers never write. */
const spellingWarnings = (slice: Draft<v1.EndpointSlice>): string[] =>
  controllers.has(slice.metadata.labels?.[managedBy] ?? '')
    ? []
    : objectsIn(slice, 'endpoints').flatMap((endpoint, outer) =>
        itemsOf(endpoint.addresses).flatMap((address, inner) =>
          addressWarnings(String(address), endpoints.index(outer).child('addresses').index(inner)),
        ),
      );

function slicePorts(slice: Draft<v1.EndpointSlice>): string {
  const ports = itemsOf(slice.ports).map(
    (port) => textAt(port, 'port') || (memberAt(port, 'name') === undefined ? '*' : textAt(port, 'name')),
  );
  return ports.length === 0
    ? unset
    : ports.length > 3
      ? `${ports.slice(0, 3).join(',')} + ${ports.length - 3} more...`
      : ports.join(',') || unset;
}

function sliceEndpoints(slice: Draft<v1.EndpointSlice>): string {
  const addresses = itemsOf(slice.endpoints).flatMap((endpoint) => itemsOf(memberAt(endpoint, 'addresses')).map(String));
  return addresses.length === 0
    ? unset
    : addresses.length > 3
      ? `${addresses.slice(0, 3).join(',')} + ${addresses.length - 3} more...`
      : addresses.join(',');
}

export const endpointSlices: Kind<Draft<v1.EndpointSlice>> = {
  name: 'endpointslices.discovery.k8s.io',
  defaults: portsRules.defaults,
  validate: (slice) => inOrder(addressTypeRules(slice), portsRules(slice), endpointsRules(slice)),
  warnings: (slice, old) => [
    ...(old === null && addressTypeOf(slice) === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
    ...spellingWarnings(slice),
  ],
  create: {
    prepare(slice) {
      dropTopology(slice, null);
      slice.metadata.generation = 1;
    },
  },
  update: {
    prepare(slice, old) {
      const same = (['addressType', 'endpoints', 'ports'] as const).every((member) =>
        sameValue(slice[member] ?? null, old[member] ?? null),
      );
      // Label changes concern routing as well.
      if (!same || !sameValue(slice.metadata.labels ?? {}, old.metadata.labels ?? {}))
        slice.metadata.generation = (old.metadata.generation ?? 0) + 1;
      // This counts as a change although nothing of it is stored.
      dropTopology(slice, old);
    },
    review: [
      'objectMetaUpdate',
      addressTypeRules,
      portsRules,
      (slice, old) => (sameValue(slice.endpoints ?? null, old.endpoints ?? null) ? [] : endpointsRules(slice)),
      (slice, old) =>
        addressTypeOf(slice) === addressTypeOf(old) ? [] : [invalid(Path.of('addressType'), addressTypeOf(slice), 'field is immutable')],
    ],
  },
  cells: { AddressType: at('addressType'), Ports: slicePorts, Endpoints: sliceEndpoints },
};
