import type { ApiObject, JsonObject } from '../../api/object.js';
import { objectsIn, setTextDefault } from '../../registry/defaulting.js';
import { sameValue } from '../../registry/equality.js';
import { itemsOf, textAt } from '../../registry/members.js';
import type { Strategy } from '../../registry/strategy.js';
import { endpointAddress } from '../../registry/validation/addresses.js';
import { invalid, notSupported, Path, required, type FieldError } from '../../registry/validation/field.js';
import { addressWarnings } from '../../registry/validation/spelling.js';
import { dnsLabel, dnsSubdomain, ipAddress, portNumber, qualified } from '../../registry/validation/values.js';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const TRIGGERED = 'endpoints.kubernetes.io/last-change-trigger-time';
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

function validateSubset(subset: JsonObject, path: Path): FieldError[] {
  const lists = ['addresses', 'notReadyAddresses'] as const;
  const ports = objectsIn(subset, 'ports');
  return [
    ...(lists.every((list) => itemsOf(subset[list]).length === 0)
      ? [required(path, 'must specify `addresses` or `notReadyAddresses`')]
      : []),
    ...lists.flatMap((list) =>
      objectsIn(subset, list).flatMap((address, position) => validateAddress(address, path.child(list).index(position))),
    ),
    ...ports.flatMap((port, position) => validatePort(port, ports.length > 1, path.child('ports').index(position))),
  ];
}

function validateAddress(address: JsonObject, path: Path): FieldError[] {
  const ip = textAt(address, 'ip');
  const malformed = ipAddress(ip, path.child('ip'));
  return [
    ...malformed,
    ...(textAt(address, 'hostname') === '' ? [] : dnsLabel(textAt(address, 'hostname'), path.child('hostname'))),
    ...(typeof address['nodeName'] === 'string' ? dnsSubdomain(address['nodeName'], path.child('nodeName')) : []),
    // What is no address is told twice, the second time in fewer words.
    ...(malformed.length > 0 ? [invalid(path.child('ip'), ip, 'must be a valid IP address')] : endpointAddress(ip, path.child('ip'))),
  ];
}

function validatePort(port: JsonObject, named: boolean, path: Path): FieldError[] {
  const [name, protocol] = [textAt(port, 'name'), textAt(port, 'protocol')];
  return [
    ...(name !== '' ? dnsLabel(name, path.child('name')) : named ? [required(path.child('name'), '')] : []),
    ...portNumber(port['port'], path.child('port')),
    ...(protocol === ''
      ? [required(path.child('protocol'), '')]
      : PROTOCOLS.includes(protocol)
        ? []
        : [notSupported(path.child('protocol'), protocol, PROTOCOLS)]),
    ...(typeof port['appProtocol'] === 'string' ? qualified(port['appProtocol'], path.child('appProtocol')) : []),
  ];
}

function validateAnnotations(endpoints: ApiObject): FieldError[] {
  const time = endpoints.metadata.annotations?.[TRIGGERED];
  return time === undefined || TIME.test(time)
    ? []
    : [invalid(Path.of('annotations').key(TRIGGERED), time, 'must be an RFC3339Nano formatted time')];
}

const validateSubsets = (endpoints: ApiObject): FieldError[] =>
  objectsIn(endpoints, 'subsets').flatMap((subset, position) => validateSubset(subset, Path.of('subsets').index(position)));

const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
const CONTROLLER = 'endpoint-controller';

/** What the controller writes, it takes from pods. */
function warnings(endpoints: ApiObject): string[] {
  if (endpoints.metadata.labels?.[MANAGED_BY] === CONTROLLER) return [];
  return objectsIn(endpoints, 'subsets').flatMap((subset, position) =>
    ['addresses', 'notReadyAddresses'].flatMap((list) =>
      objectsIn(subset, list).flatMap((address, each) =>
        addressWarnings(textAt(address, 'ip'), Path.of('subsets').index(position).child(list).index(each).child('ip')),
      ),
    ),
  );
}

export const endpoints: Strategy = {
  createsOnUpdate: true,
  setDefaults(object) {
    for (const subset of objectsIn(object, 'subsets'))
      for (const port of objectsIn(subset, 'ports')) setTextDefault(port, 'protocol', 'TCP');
  },
  warnings,
  validate: (object) => [...validateAnnotations(object), ...validateSubsets(object)],
  reviewUpdate: (object, old, metadata) => [
    ...metadata.update(),
    ...metadata.object(),
    ...validateAnnotations(object),
    ...(sameValue(object['subsets'] ?? [], old['subsets'] ?? []) ? [] : validateSubsets(object)),
  ],
};
