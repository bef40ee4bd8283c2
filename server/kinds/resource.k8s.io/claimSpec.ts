import * as enums from '../../../api/data/enums.js';
import {
  all,
  andThen,
  created,
  dnsLabel,
  dnsSubdomain,
  inOrder,
  insteadOfZero,
  invalid,
  isSet,
  itemsOf,
  knowing,
  members,
  missing,
  oneOf,
  optional,
  orEmpty,
  required,
  withFactsOf,
  type FieldError,
  type Found,
  type Path,
  type Writable,
} from '../language.js';
import type * as v1 from '../../../api/types/resource/v1.js';
import { configuration, configurationsMax, selectors, tolerations } from './devices.js';
import { byName, list, set } from './lists.js';
import { fullyQualifiedName } from './names.js';

type Spec = Writable<v1.ResourceClaimSpec>;
type Request = Writable<v1.DeviceRequest>;
type Devices = Pick<v1.DeviceSubRequest, 'deviceClassName' | 'selectors' | 'allocationMode' | 'count' | 'tolerations'>;

const requestsMax = 32;
const constraintsMax = 32;
const alternativesMax = 8;
const unknownRequest = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
const oneForm = 'exactly one of `exactly` or `firstAvailable` is required';

const devices = members<Devices>({
  deviceClassName: required(dnsSubdomain),
  selectors,
  allocationMode: insteadOfZero('ExactCount', oneOf(...enums.DeviceAllocationMode)),
  count: insteadOfZero(({ allocationMode }) => (allocationMode === 'ExactCount' ? 1 : undefined), amount),
  tolerations,
});

function amount(count: number, path: Path, { allocationMode }: Writable<Devices>): FieldError[] {
  if (allocationMode === 'All') return count === 0 ? [] : [invalid(path, count, "must not be specified when allocationMode is 'All'")];
  return allocationMode !== 'ExactCount' || count > 0 ? [] : [invalid(path, count, 'must be greater than zero')];
}

const alternative = all(members<v1.DeviceSubRequest>({ name: orEmpty(dnsLabel) }), devices);
const request = all(
  members<v1.DeviceRequest>({ name: orEmpty(dnsLabel) }),
  andThen(eitherForm, members<v1.DeviceRequest>({ exactly: optional(devices), firstAvailable: set(alternativesMax, byName, alternative) })),
);

function eitherForm(request: Request | null | undefined, path: Path): FieldError[] {
  const [exactly, alternatives] = [isSet(request?.exactly), itemsOf(request?.firstAvailable).length > 0];
  if (!exactly && !alternatives) return [missing(path, oneForm)];
  return exactly && alternatives ? [invalid(path, null, `${oneForm}, but multiple fields are set`)] : [];
}

const ofRequests = knowing(references);
const claim = members<v1.DeviceClaim, RequestNames>({
  requests: set(requestsMax, byName, request),
  constraints: list(constraintsMax, members<v1.DeviceConstraint, RequestNames>({ requests: ofRequests }), attribute),
  config: list(configurationsMax, members<v1.DeviceClaimConfiguration, RequestNames>({ requests: ofRequests }), configuration),
});

export const claimSpec = created(members<v1.ResourceClaimSpec>({ devices: withFactsOf(requestNames, claim) }));

function attribute({ matchAttribute, distinctAttribute }: Writable<v1.DeviceConstraint>, path: Path): FieldError[] {
  if (isSet(matchAttribute)) return fullyQualifiedName(matchAttribute, path.child('matchAttribute'));
  if (isSet(distinctAttribute)) return fullyQualifiedName(distinctAttribute, path.child('distinctAttribute'));
  return [missing(path, 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set')];
}

/** Names of requests, and `request/alternative`, to which a claim refers. */
export type RequestNames = ReadonlySet<string>;

export function requestNames(spec: Spec): RequestNames {
  return new Set(
    itemsOf(spec.devices?.requests).flatMap(({ name = '', firstAvailable }) => [
      name,
      ...itemsOf(firstAvailable).map((alternative) => `${name}/${byName(alternative)}`),
    ]),
  );
}

export function references(requests: string[] | undefined, path: Path, names: RequestNames): Found {
  return set(requestsMax, (name) => name, reference(names))(requests, path, null);
}

export const reference =
  (names: RequestNames) =>
  (name: string, path: Path): Found => {
    const segments = name.split('/');
    if (segments.length > 2) return [invalid(path, name, unknownRequest)];
    const known = names.has(name) ? [] : [invalid(path, name, unknownRequest)];
    return inOrder(...segments.map((segment) => dnsLabel(segment, path)), known);
  };
