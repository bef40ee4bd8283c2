import type { EndpointSlice } from '../../../api/types/discovery/v1.js';
import type { JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn, setDefault } from '../../../api/json/defaulting.js';
import { sameValue } from '../../../api/json/equality.js';
import { itemsOf, memberAt, membersOf, textAt } from '../../../api/json/members.js';
import { endpointAddress, parseOldAddress } from '../../registry/validation/addresses.js';
import { duplicate, invalid, notSupported, Path, required, tooMany, type FieldError } from '../../registry/validation/field.js';
import { addressWarnings } from '../../registry/validation/spelling.js';
import { validateLabels } from '../../registry/validation/metadata.js';
import { dnsLabelName, labelValueProblems, subdomainName } from '../../registry/validation/names.js';
import { addressAnd, dnsLabel, dnsSubdomain, qualified } from '../../registry/validation/values.js';
import { at, unset } from '../cells.js';
import type { Draft, Kind } from '../kind.js';
import { repeats } from '../../registry/validation/repeats.js';
import { inOrder, ofEach, type Found } from '../../registry/validation/ofEach.js';

const endpointsMax = 1000;
const addressesMax = 100;
const portsMax = 20_000;
const topologyLabelsMax = 16;
const hintsMax = 8;
const types = ['FQDN', 'IPv4', 'IPv6'];
const protocols = ['SCTP', 'TCP', 'UDP'];
const managedBy = 'endpointslice.kubernetes.io/managed-by';
const controllers: ReadonlySet<string> = new Set(['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io']);
const endpoints = Path.of('endpoints');
const portsPath = Path.of('ports');

const addressTypeOf = (slice: Draft<EndpointSlice>): string => textAt(slice, 'addressType');

/** The older topology is no longer accepted; stored values stay until the endpoints change. */
function dropTopology(slice: Draft<EndpointSlice>, old: Draft<EndpointSlice> | null): void {
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

function validateAddressType(type: string): FieldError[] {
  if (type === '') return [required(Path.of('addressType'), '')];
  return types.includes(type) ? [] : [notSupported(Path.of('addressType'), type, types)];
}

function validateEndpoints(slice: Draft<EndpointSlice>): Found {
  const all = itemsOf(slice.endpoints).map(membersOf);
  if (all.length > endpointsMax) return [tooMany(endpoints, all.length, endpointsMax)];
  return ofEach(all, (endpoint, position) => validateEndpoint(endpoint, addressTypeOf(slice), endpoints.index(position)));
}

function validateEndpoint(endpoint: JsonObject, type: string, path: Path): Found {
  const addresses = itemsOf(endpoint.addresses).map(String);
  const topology = objectAt(endpoint, 'deprecatedTopology');
  const labels = Object.keys(topology ?? {}).length;
  const hints = objectAt(endpoint, 'hints');
  return inOrder(
    addresses.length === 0 ? [required(path.child('addresses'), 'must contain at least 1 address')] : [],
    addresses.length > addressesMax ? [tooMany(path.child('addresses'), addresses.length, addressesMax)] : [],
    addresses.flatMap((address, position) => validateAddress(address, type, path.child('addresses'), position)),
    typeof endpoint.nodeName === 'string' ? dnsSubdomain(endpoint.nodeName, path.child('nodeName')) : [],
    labels > topologyLabelsMax ? [tooMany(path.child('deprecatedTopology'), labels, topologyLabelsMax)] : [],
    validateLabels((topology as Record<string, string> | null) ?? undefined, path.child('deprecatedTopology')),
    typeof endpoint.hostname === 'string' ? dnsLabel(endpoint.hostname, path.child('hostname')) : [],
    hints === null ? [] : validateHints(hints, path.child('hints')),
  );
}

function validateAddress(address: string, type: string, path: Path, position: number): FieldError[] {
  const at = path.index(position);
  if (type === 'FQDN') return domainName(address, at);
  if (type !== 'IPv4' && type !== 'IPv6') return [];
  return addressAnd(address, at, () => [
    ...(parseOldAddress(address)?.family === type ? [] : [invalid(path, address, `must be an ${type} address`)]),
    ...endpointAddress(address, at),
  ]);
}

/** A name of at least two parts; only its first error is reported. */
function domainName(value: string, path: Path): FieldError[] {
  if (value === '') return [required(path, '')];
  const name = value.replace(/\.$/, '');
  const problems = subdomainName(name, false);
  if (problems.length > 0) return [invalid(path, name, problems.join(','))];
  const parts = name.split('.');
  if (parts.length < 2) return [invalid(path, name, 'should be a domain with at least two segments separated by dots')];
  const wrong = parts.find((part) => dnsLabelName(part, false).length > 0);
  return wrong === undefined ? [] : [invalid(path, wrong, dnsLabelName(wrong, false).join(','))];
}

function validateHints(hints: JsonObject, path: Path): FieldError[] {
  const named = (list: string, problemsOf: (name: string) => string[]): FieldError[] => {
    const names = objectsIn(hints, list).map((hint) => textAt(hint, 'name'));
    if (names.length > hintsMax) return [tooMany(path.child(list), names.length, hintsMax)];
    const isRepeated = repeats(names);
    return names.flatMap((name, position) => {
      const at = path.child(list).index(position).child('name');
      return [...(isRepeated(position) ? [duplicate(at, name)] : []), ...problemsOf(name).map((text) => invalid(at, name, text))];
    });
  };
  return [...named('forZones', labelValueProblems), ...named('forNodes', (name) => subdomainName(name, false))];
}

function validatePorts(slice: Draft<EndpointSlice>): FieldError[] {
  const ports = itemsOf(slice.ports).map(membersOf);
  if (ports.length > portsMax) return [tooMany(portsPath, ports.length, portsMax)];
  const names = ports.map((port) => textAt(port, 'name'));
  const isRepeated = repeats(names);
  return ports.flatMap((port, position) => {
    const path = portsPath.index(position);
    const [name = '', protocol] = [names[position], textAt(port, 'protocol')];
    return [
      ...(name === '' ? [] : dnsLabel(name, path.child('name'))),
      ...(isRepeated(position) ? [duplicate(path.child('name'), name)] : []),
      ...(protocols.includes(protocol) ? [] : [notSupported(path.child('protocol'), protocol, protocols)]),
      ...(typeof port.appProtocol === 'string' ? qualified(port.appProtocol, path.child('appProtocol')) : []),
    ];
  });
}

/** Addresses in an unusual spelling, which controllers never write. */
const spellingWarnings = (slice: Draft<EndpointSlice>): string[] =>
  controllers.has(slice.metadata.labels?.[managedBy] ?? '')
    ? []
    : objectsIn(slice, 'endpoints').flatMap((endpoint, outer) =>
        itemsOf(endpoint.addresses).flatMap((address, inner) =>
          addressWarnings(String(address), endpoints.index(outer).child('addresses').index(inner)),
        ),
      );

function slicePorts(slice: Draft<EndpointSlice>): string {
  const ports = itemsOf(slice.ports).map(
    (port) => textAt(port, 'port') || (memberAt(port, 'name') === undefined ? '*' : textAt(port, 'name')),
  );
  return ports.length === 0
    ? unset
    : ports.length > 3
      ? `${ports.slice(0, 3).join(',')} + ${ports.length - 3} more...`
      : ports.join(',') || unset;
}

function sliceEndpoints(slice: Draft<EndpointSlice>): string {
  const addresses = itemsOf(slice.endpoints).flatMap((endpoint) => itemsOf(memberAt(endpoint, 'addresses')).map(String));
  return addresses.length === 0
    ? unset
    : addresses.length > 3
      ? `${addresses.slice(0, 3).join(',')} + ${addresses.length - 3} more...`
      : addresses.join(',');
}

export const endpointSlices: Kind<Draft<EndpointSlice>> = {
  name: 'endpointslices.discovery.k8s.io',
  defaults(slice) {
    for (const port of objectsIn(slice, 'ports')) {
      setDefault(port, 'name', '');
      setDefault(port, 'protocol', 'TCP');
    }
  },
  validate: (slice) => inOrder(validateAddressType(addressTypeOf(slice)), validatePorts(slice), validateEndpoints(slice)),
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
      (slice) => validateAddressType(addressTypeOf(slice)),
      validatePorts,
      (slice, old) => (sameValue(slice.endpoints ?? null, old.endpoints ?? null) ? [] : validateEndpoints(slice)),
      (slice, old) =>
        addressTypeOf(slice) === addressTypeOf(old) ? [] : [invalid(Path.of('addressType'), addressTypeOf(slice), 'field is immutable')],
    ],
  },
  cells: { AddressType: at('addressType'), Ports: slicePorts, Endpoints: sliceEndpoints },
};
