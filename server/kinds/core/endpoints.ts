import type { Endpoints } from '../../../api/types/core/v1.js';
import { parseTime } from '../../../api/time.js';
import type { JsonObject } from '../../../api/object.js';
import { objectsIn, setTextDefault } from '../../../api/json/defaulting.js';
import { sameValue } from '../../../api/json/equality.js';
import { itemsOf, memberAt, textAt } from '../../../api/json/members.js';
import { endpointAddress } from '../../registry/validation/addresses.js';
import { invalid, notSupported, Path, required, type FieldError } from '../../registry/validation/field.js';
import { addressWarnings } from '../../registry/validation/spelling.js';
import { dnsLabel, dnsSubdomain, ipAddress, portNumber, qualified } from '../../registry/validation/values.js';
import { none } from '../cells.js';
import type { Draft, Kind } from '../kind.js';
import { inOrder, ofEach, type Found } from '../../registry/validation/ofEach.js';

const protocols = ['SCTP', 'TCP', 'UDP'];
const triggered = 'endpoints.kubernetes.io/last-change-trigger-time';

function validateSubset(subset: JsonObject, path: Path): Found {
  const lists = ['addresses', 'notReadyAddresses'] as const;
  const ports = objectsIn(subset, 'ports');
  return inOrder(
    lists.every((list) => itemsOf(subset[list]).length === 0) ? [required(path, 'must specify `addresses` or `notReadyAddresses`')] : [],
    ofEach(lists, (list) =>
      ofEach(objectsIn(subset, list), (address, position) => validateAddress(address, path.child(list).index(position))),
    ),
    ofEach(ports, (port, position) => validatePort(port, ports.length > 1, path.child('ports').index(position))),
  );
}

function validateAddress(address: JsonObject, path: Path): FieldError[] {
  const ip = textAt(address, 'ip');
  return [
    ...ipAddress(ip, path.child('ip')),
    ...(textAt(address, 'hostname') === '' ? [] : dnsLabel(textAt(address, 'hostname'), path.child('hostname'))),
    ...(typeof address.nodeName === 'string' ? dnsSubdomain(address.nodeName, path.child('nodeName')) : []),
    // An invalid address is reported twice, the second time in fewer words.
    ...endpointAddress(ip, path.child('ip')),
  ];
}

function validatePort(port: JsonObject, named: boolean, path: Path): FieldError[] {
  const [name, protocol] = [textAt(port, 'name'), textAt(port, 'protocol')];
  return [
    ...(name !== '' ? dnsLabel(name, path.child('name')) : named ? [required(path.child('name'), '')] : []),
    ...portNumber(port.port, path.child('port')),
    ...(protocol === ''
      ? [required(path.child('protocol'), '')]
      : protocols.includes(protocol)
        ? []
        : [notSupported(path.child('protocol'), protocol, protocols)]),
    ...(typeof port.appProtocol === 'string' ? qualified(port.appProtocol, path.child('appProtocol')) : []),
  ];
}

function validateAnnotations(endpoints: Draft<Endpoints>): FieldError[] {
  const time = endpoints.metadata.annotations?.[triggered];
  return time === undefined || parseTime(time) !== undefined
    ? []
    : [invalid(Path.of('annotations').key(triggered), time, 'must be an RFC3339Nano formatted time')];
}

const validateSubsets = (endpoints: Draft<Endpoints>): Found =>
  ofEach(objectsIn(endpoints, 'subsets'), (subset, position) => validateSubset(subset, Path.of('subsets').index(position)));

const managedBy = 'endpoints.kubernetes.io/managed-by';
const controller = 'endpoint-controller';

/** The controller's addresses come from pods. */
function warnings(endpoints: Draft<Endpoints>): string[] {
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

function endpointsText(object: Draft<Endpoints>): string {
  const all = itemsOf(object.subsets).flatMap((subset) => {
    const ports = itemsOf(memberAt(subset, 'ports'));
    const addresses = itemsOf(memberAt(subset, 'addresses')).map((address) => textAt(address, 'ip'));
    return ports.length === 0
      ? addresses
      : ports.flatMap((port) => addresses.map((ip) => `${ip.includes(':') ? `[${ip}]` : ip}:${textAt(port, 'port')}`));
  });
  if (all.length === 0) return none;
  const shown = all.slice(0, endpointsShown).join(',');
  return all.length > endpointsShown ? `${shown} + ${all.length - endpointsShown} more...` : shown;
}

export const endpoints: Kind<Draft<Endpoints>> = {
  name: 'endpoints',
  versions: { v1: { deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice' } },
  defaults(object) {
    for (const subset of objectsIn(object, 'subsets'))
      for (const port of objectsIn(subset, 'ports')) setTextDefault(port, 'protocol', 'TCP');
  },
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
