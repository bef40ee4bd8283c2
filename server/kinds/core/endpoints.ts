import * as enums from '../../../api/data/enums.js';
import {
  addressWarnings,
  all,
  dnsLabel,
  dnsSubdomain,
  each,
  endpointAddress,
  ifOwner,
  inOrder,
  insteadOfZero,
  invalid,
  ipAddress,
  itemsOf,
  memberAt,
  members,
  missing,
  none,
  nonZero,
  objectRules,
  objectsIn,
  oneOf,
  optional,
  Path,
  portNumber,
  qualified,
  required,
  sameValue,
  textAt,
  whole,
  type Draft,
  type FieldError,
  type Kind,
  type Rule,
  type Writable,
} from '../language.js';
import type * as v1 from '../../../api/types/core/v1.js';
import { parseTime } from '../../../api/time.js';

const triggered = 'endpoints.kubernetes.io/last-change-trigger-time';

const addresses = each(
  all(
    members<v1.EndpointAddress>({
      ip: (ip = '', path) => ipAddress(ip, path),
      hostname: nonZero(dnsLabel),
      nodeName: optional(dnsSubdomain),
    }),
    // An invalid address is reported twice, the second time in fewer words.
    members<v1.EndpointAddress>({ ip: (ip = '', path) => endpointAddress(ip, path) }),
  ),
);

const severalPorts = ({ ports }: Writable<v1.EndpointSubset>): boolean => itemsOf(ports).length > 1;

const portNamed = (isNamed: boolean): Rule<Writable<v1.EndpointPort>> =>
  members<v1.EndpointPort>({
    name: isNamed ? required(dnsLabel) : nonZero(dnsLabel),
    port: portNumber,
    protocol: insteadOfZero('TCP', oneOf(...enums.Protocol)),
    appProtocol: optional(qualified),
  });
const [namedPorts, ports] = [each(portNamed(true)), each(portNamed(false))];

const subset = all(
  whole<v1.EndpointSubset>((value, path) =>
    itemsOf(value.addresses).length === 0 && itemsOf(value.notReadyAddresses).length === 0
      ? [missing(path, 'must specify `addresses` or `notReadyAddresses`')]
      : [],
  ),
  members<v1.EndpointSubset>({
    addresses,
    notReadyAddresses: addresses,
    ports: ifOwner(severalPorts, namedPorts, ports),
  }),
);

const validateSubsets = objectRules<v1.Endpoints>({ subsets: each(subset) });

function validateAnnotations(endpoints: Draft<v1.Endpoints>): FieldError[] {
  const time = endpoints.metadata.annotations?.[triggered];
  return time === undefined || parseTime(time) !== undefined
    ? []
    : [invalid(Path.of('annotations').key(triggered), time, 'must be an RFC3339Nano formatted time')];
}

const managedBy = 'endpoints.kubernetes.io/managed-by';
const controller = 'endpoint-controller';

/** The controller's addresses come from pods. */
function warnings(endpoints: Draft<v1.Endpoints>): string[] {
  if (endpoints.metadata.labels?.[managedBy] === controller) return [];
  return objectsIn(endpoints, 'subsets').flatMap((subset, position) =>
    (['addresses', 'notReadyAddresses'] as const).flatMap((list) =>
      objectsIn(subset, list).flatMap((address, each) =>
        addressWarnings(textAt(address, 'ip'), Path.of('subsets').index(position).child(list).index(each).child('ip')),
      ),
    ),
  );
}

const endpointsShown = 3;

function endpointsText(object: Draft<v1.Endpoints>): string {
  const all = itemsOf(object.subsets).flatMap((subset) => {
    const ports = itemsOf(memberAt(subset, 'ports'));
    const addresses = itemsOf(memberAt(subset, 'addresses')).map((address) => textAt(address, 'ip'));
    return ports.length === 0
      ? addresses
      : ports.flatMap((port) => addresses.map((ip) => `${ip.includes(':') ? `[${ip}]` : ip}:${textAt(port, 'port')}`));
  });
  if (itemsOf(object.subsets).length === 0) return none;
  const shown = all.slice(0, endpointsShown).join(',');
  return all.length > endpointsShown ? `${shown} + ${all.length - endpointsShown} more...` : shown;
}

export const endpoints: Kind<Draft<v1.Endpoints>> = {
  name: 'endpoints',
  versions: { v1: { deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice' } },
  defaults: validateSubsets.defaults,
  validate: (object) => inOrder(validateAnnotations(object), validateSubsets(object)),
  warnings,
  update: {
    creates: true,
    review: [
      'objectMetaUpdate',
      'objectMeta',
      (object, old) => (sameValue(object.subsets ?? [], old.subsets ?? []) ? [] : validateSubsets(object)),
    ],
  },
  cells: { Endpoints: endpointsText },
};
