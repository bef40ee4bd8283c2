import * as enums from '../../../api/data/enums.js';
import {
  all,
  changed,
  conditions,
  dnsLabel,
  driverName,
  forbidden,
  inOrder,
  invalid,
  isSet,
  itemsOf,
  maxBytes,
  maxItems,
  members,
  oneOf,
  optional,
  orEmpty,
  parseRange,
  Path,
  required,
  sameValue,
  specOf,
  statusOf,
  strictly,
  printedAs,
  sameMeaning,
  type Draft,
  type FieldError,
  type Found,
  type JsonObject,
  type Rule,
  type Writable,
} from '../language.js';
import { isIP } from 'node:net';
import type * as v1 from '../../../api/types/resource/v1.js';
import { validateNodeSelector } from '../core/podSpec/validation/scheduling.js';
import { reference, references, requestNames, type RequestNames } from './claimSpec.js';
import { bindingConditions, configuration, configurationsMax, parameters, tolerations } from './devices.js';
import { list, set } from './lists.js';
import { poolName, uniqueId } from './names.js';

type Claim = Draft<v1.ResourceClaim>;
type Status = Writable<v1.ResourceClaimStatus>;
type Device = Pick<v1.AllocatedDeviceStatus, 'driver' | 'pool' | 'device' | 'shareID'>;

const statusPath = Path.of('status');
const reservationsMax = 256;
const resultsMax = 32;
const conditionsMax = 8;
const ipsMax = 16;
const interfaceNameMax = 256;
const hardwareAddressMax = 128;

const sharedId = ({ driver = '', pool = '', device = '', shareID = '' }: Writable<Device>): string =>
  [driver, pool, device, shareID].join('/');
const printedId = ({ driver = '', pool = '', device = '', shareID = '' }: Writable<Device>): JsonObject => ({
  Driver: driver,
  Pool: pool,
  Device: device,
  ShareID: shareID,
});
const allocatedIn = (status: Status): ReadonlySet<string> => new Set(itemsOf(status.allocation?.devices?.results).map(sharedId));

const consumer = members<v1.ResourceClaimConsumerReference>({ resource: required(), name: required(), uid: required() });
const device = members<Device>({ driver: orEmpty(driverName), pool: orEmpty(poolName), device: orEmpty(dnsLabel) });
const share = members<Device>({ shareID: optional(uniqueId) });
const nodes = changed(validateNodeSelector, strictly);

export function validateClaimStatus(claim: Claim, old: Claim): Found {
  const [status, before] = [statusOf(claim), statusOf(old)];
  const rules = members<v1.ResourceClaimStatus>({
    reservedFor: set(reservationsMax, ({ uid = '' }) => uid, consumer),
    devices: set(Infinity, { of: sharedId, shown: printedId }, reportOf(allocatedIn(status))),
  });
  const allocation = allocationFor(requestNames(specOf(claim)));
  return inOrder(rules(status, statusPath, claim), validateReservations(claim, before), allocated(status, before, allocation));
}

function validateReservations(claim: Claim, before: Status): FieldError[] {
  const path = statusPath.child('reservedFor');
  const { reservedFor, allocation } = statusOf(claim);
  if (itemsOf(reservedFor).length === 0) return [];
  if (!isSet(allocation)) return [forbidden(path, 'may not be specified when `allocated` is not set')];
  const added =
    claim.metadata.deletionTimestamp !== undefined &&
    itemsOf(reservedFor).some((consumer) => !itemsOf(before.reservedFor).some((each) => sameValue(each, consumer)));
  return added ? [forbidden(path, 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set')] : [];
}

/** An allocation is immutable until it is removed as a whole. */
function allocated({ allocation }: Status, before: Status, rule: Rule<Writable<v1.AllocationResult>>): Found {
  const path = statusPath.child('allocation');
  if (!isSet(allocation)) return [];
  if (!isSet(before.allocation)) return rule(allocation, path, null);
  const [shown, kept] = [allocation, before.allocation].map((each) => printedAs('resource.v1.AllocationResult', each));
  return sameMeaning(shown, kept) ? [] : [invalid(path, shown, 'field is immutable')];
}

const allocationFor = (names: RequestNames): Rule<Writable<v1.AllocationResult>> => {
  const result = all(
    members<v1.DeviceRequestAllocationResult>({ request: orEmpty(reference(names)) }),
    device,
    bindingConditions,
    members<v1.DeviceRequestAllocationResult>({ tolerations }),
    share,
  );
  const source = members<v1.DeviceAllocationConfiguration>({
    source: required(oneOf(...enums.DeviceConfigurationSource)),
    requests: (requests, path) => references(requests, path, names),
  });
  // Configuration comes from the claim and its class.
  const config = list(2 * configurationsMax, source, configuration);
  return members<v1.AllocationResult>({
    devices: members<v1.DeviceAllocationResult>({ results: list(resultsMax, result), config }),
    nodeSelector: optional(nodes),
  });
};

const networkData = members<v1.NetworkDeviceData>({
  interfaceName: orEmpty(maxBytes(interfaceNameMax)),
  hardwareAddress: orEmpty(maxBytes(hardwareAddressMax)),
  ips: set(ipsMax, (ip) => ip, interfaceAddress),
});

const reportOf = (allocated: ReadonlySet<string>): Rule<Writable<v1.AllocatedDeviceStatus>> =>
  all<Writable<v1.AllocatedDeviceStatus>>(
    device,
    share,
    (report: Writable<Device>, path) => {
      return allocated.has(sharedId(report)) ? [] : [invalid(path, printedId(report), 'must be an allocated device in the claim')];
    },
    members<v1.AllocatedDeviceStatus>({ conditions: all(maxItems(conditionsMax), conditions), data: optional(parameters), networkData }),
  );

function interfaceAddress(text: string, path: Path): FieldError[] {
  return parseRange(text) !== null && isIP(text.split('/')[0] ?? '') !== 0
    ? []
    : [invalid(path, text, 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)')];
}

/** Reports about devices that are no longer allocated are removed. */
export function dropDeallocated(claim: Claim, old: Claim): void {
  const [present, before] = [allocatedIn(statusOf(claim)), allocatedIn(statusOf(old))];
  const { devices, ...status } = statusOf(claim);
  const kept = itemsOf(devices).filter((each) => present.has(sharedId(each)) || !before.has(sharedId(each)));
  if (kept.length === itemsOf(devices).length) return;
  claim.status = kept.length === 0 ? status : { ...status, devices: kept };
}
