import { isIP } from 'node:net';
import type { ApiObject, JsonObject } from '../../../api/object.js';
import { validateNodeSelector } from '../core/podSpec/validation/scheduling.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { sameValue } from '../../../api/json/equality.js';
import { itemsOf, memberAt, membersOf, textAt } from '../../../api/json/members.js';
import { parseRange } from '../../registry/validation/addresses.js';
import { validateConditions } from '../../registry/validation/conditions.js';
import { driverName } from '../../registry/validation/drivernames.js';
import { forbidden, invalid, Path, required, strictly, tooLong, tooMany, type FieldError } from '../../registry/validation/field.js';
import { unchanged } from '../../registry/validation/immutable.js';
import { dnsLabel, oneOf } from '../../registry/validation/values.js';
import { configurationsMax, validateBindingConditions, validateConfiguration, validateParameters, validateTolerations } from './devices.js';
import { requestNames, validateReference, validateReferences, type RequestNames } from './claimSpec.js';
import { validateList, validateSet } from './lists.js';
import { poolName, uniqueId } from './names.js';
import { specOf, statusOf } from '../parts.js';
import { atOnce } from '../../registry/validation/ofEach.js';

/** The allocation of a claim, its users, and drivers' reports. */

const statusPath = Path.of('status');
const reservationsMax = 256;
const resultsMax = 32;
const conditionsMax = 8;
const ipsMax = 16;
const interfaceNameMax = 256;
const hardwareAddressMax = 128;

const resultsOf = (status: JsonObject): JsonObject[] =>
  objectsIn(objectAt(objectAt(status, 'allocation') ?? {}, 'devices') ?? {}, 'results');
const sharedId = (device: JsonObject): string => ['driver', 'pool', 'device', 'shareID'].map((member) => textAt(device, member)).join('/');

export function validateClaimStatus(claim: ApiObject, old: ApiObject): FieldError[] {
  const [status, before] = [statusOf(claim), statusOf(old)];
  const allocated = new Set(resultsOf(status).map(sharedId));
  return [
    ...validateSet(objectsIn(status, 'reservedFor'), reservationsMax, statusPath.child('reservedFor'), {
      key: (consumer) => textAt(consumer, 'uid'),
      check: validateConsumer,
    }),
    ...validateSet(objectsIn(status, 'devices'), null, statusPath.child('devices'), {
      key: sharedId,
      check: (device, path) => validateDevice(device, allocated, path),
    }),
    ...validateReservations(claim, before),
    ...validateAllocation(objectAt(status, 'allocation'), objectAt(before, 'allocation'), requestNames(specOf(claim))),
  ];
}

const validateConsumer = (consumer: JsonObject, path: Path): FieldError[] =>
  ['resource', 'name', 'uid'].filter((member) => textAt(consumer, member) === '').map((member) => required(path.child(member), ''));

function validateReservations(claim: ApiObject, before: JsonObject): FieldError[] {
  const path = statusPath.child('reservedFor');
  const consumers = itemsOf(statusOf(claim)['reservedFor']);
  if (consumers.length === 0) return [];
  if (objectAt(statusOf(claim), 'allocation') === null) return [forbidden(path, 'may not be specified when `allocated` is not set')];
  const added =
    claim.metadata.deletionTimestamp !== undefined &&
    consumers.some((consumer) => !itemsOf(before['reservedFor']).some((each) => sameValue(each, consumer)));
  return added ? [forbidden(path, 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set')] : [];
}

/** An allocation is immutable until it is removed as a whole. */
function validateAllocation(allocation: JsonObject | null, before: JsonObject | null, names: RequestNames): FieldError[] {
  const path = statusPath.child('allocation');
  if (allocation === null) return [];
  if (before !== null) return unchanged(allocation, before, path);
  const devices = objectAt(allocation, 'devices') ?? {};
  const selector = objectAt(allocation, 'nodeSelector');
  return [
    ...validateList(objectsIn(devices, 'results'), resultsMax, path.child('devices', 'results'), (result, at) =>
      validateResult(result, names, at),
    ),
    // Configuration comes from the claim and its class.
    ...validateList(objectsIn(devices, 'config'), 2 * configurationsMax, path.child('devices', 'config'), (configuration, at) => [
      ...oneOf(configuration['source'], ['FromClaim', 'FromClass'], at.child('source')),
      ...validateReferences(configuration, names, at.child('requests')),
      ...validateConfiguration(configuration, at),
    ]),
    ...(selector === null ? [] : strictly(atOnce(validateNodeSelector(selector, path.child('nodeSelector'))))),
  ];
}

function validateResult(result: JsonObject, names: RequestNames, path: Path): FieldError[] {
  return [
    ...validateReference(textAt(result, 'request'), names, path.child('request')),
    ...validateDeviceName(result, path),
    ...validateBindingConditions(result, path),
    ...validateTolerations(result, path.child('tolerations')),
    ...validateShare(result, path),
  ];
}

const validateDeviceName = (device: JsonObject, path: Path): FieldError[] => [
  ...driverName(textAt(device, 'driver'), path.child('driver')),
  ...poolName(textAt(device, 'pool'), path.child('pool')),
  ...dnsLabel(textAt(device, 'device'), path.child('device')),
];

const validateShare = ({ shareID }: JsonObject, path: Path): FieldError[] =>
  shareID === undefined || shareID === null ? [] : uniqueId(String(shareID), path.child('shareID'));

function validateDevice(device: JsonObject, allocated: ReadonlySet<string>, path: Path): FieldError[] {
  const conditions = itemsOf(device['conditions']);
  const shown = {
    Driver: textAt(device, 'driver'),
    Pool: textAt(device, 'pool'),
    Device: textAt(device, 'device'),
    ShareID: textAt(device, 'shareID'),
  };
  return [
    ...validateDeviceName(device, path),
    ...validateShare(device, path),
    ...(allocated.has(sharedId(device)) ? [] : [invalid(path, shown, 'must be an allocated device in the claim')]),
    ...(conditions.length > conditionsMax ? [tooMany(path.child('conditions'), conditions.length, conditionsMax)] : []),
    ...validateConditions(conditions, path.child('conditions')),
    ...(device['data'] === undefined || device['data'] === null ? [] : validateParameters(device['data'], path.child('data'))),
    ...validateNetwork(objectAt(device, 'networkData') ?? {}, path.child('networkData')),
  ];
}

const atMostBytes = (holder: JsonObject, member: string, max: number, path: Path): FieldError[] =>
  Buffer.byteLength(textAt(holder, member)) > max ? [tooLong(path.child(member), max)] : [];

function validateNetwork(data: JsonObject, path: Path): FieldError[] {
  return [
    ...atMostBytes(data, 'interfaceName', interfaceNameMax, path),
    ...atMostBytes(data, 'hardwareAddress', hardwareAddressMax, path),
    ...validateSet(itemsOf(data['ips']).map(String), ipsMax, path.child('ips'), { key: (ip) => ip, check: validateInterfaceAddress }),
  ];
}

const validateInterfaceAddress = (text: string, path: Path): FieldError[] =>
  parseRange(text) !== null && isIP(text.split('/')[0] ?? '') !== 0
    ? []
    : [invalid(path, text, 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)')];

/** Reports about devices that are no longer allocated are removed. */
export function dropDeallocated(claim: ApiObject, old: ApiObject): void {
  const present = new Set(resultsOf(statusOf(claim)).map(sharedId));
  const gone = new Set(
    resultsOf(statusOf(old))
      .map(sharedId)
      .filter((id) => !present.has(id)),
  );
  const devices = itemsOf(memberAt(claim, 'status', 'devices'));
  const kept = devices.filter((device) => !gone.has(sharedId(membersOf(device))));
  if (kept.length === devices.length) return;
  const { devices: _devices, ...status } = statusOf(claim);
  claim['status'] = kept.length === 0 ? status : { ...status, devices: kept };
}
