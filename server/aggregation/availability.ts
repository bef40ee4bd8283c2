import type { ApiObject, JsonObject } from '../../api/object.js';
import { objectAt, objectsIn } from '../../api/json/defaulting.js';
import { itemsOf, memberAt, textAt } from '../../api/json/members.js';

/** The availability condition of an extension API, in the reference's words. Pure. */
export interface Availability {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

export const local: Availability = { status: 'True', reason: 'Local', message: 'Local APIServices are always available' };
export const passed: Availability = { status: 'True', reason: 'Passed', message: 'all checks passed' };
export const failed = (url: string, why: string): Availability =>
  unavailable('FailedDiscoveryCheck', `failing or missing response from ${url}: ${why}`);

const unavailable = (reason: string, message: string): Availability => ({ status: 'False', reason, message });

interface Target {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

export function serviceProblem(
  { namespace, name, port }: Target,
  service: ApiObject | null,
  slices: readonly ApiObject[],
): Availability | null {
  const which = `service/${name} in ${JSON.stringify(namespace)}`;
  if (service === null) return unavailable('ServiceNotFound', `${which} is not present`);
  // Only a cluster address needs endpoints.
  if (textAt(service, 'spec', 'type') !== 'ClusterIP') return null;
  const found = objectsIn(objectAt(service, 'spec') ?? {}, 'ports').find((each) => each['port'] === port);
  if (found === undefined) return unavailable('ServicePortError', `${which} is not listening on port ${port}`);
  if (slices.length === 0) return unavailable('EndpointsNotFound', `cannot find endpointslices for ${which}`);
  const portName = textAt(found, 'name');
  if (slices.some((slice) => hasReady(slice, portName))) return null;
  return unavailable('MissingEndpoints', `endpointslices for ${which} have no addresses with port name ${JSON.stringify(portName)}`);
}

const hasReady = (slice: ApiObject, portName: string): boolean =>
  objectsIn(slice, 'ports').some((port) => textAt(port, 'name') === portName) &&
  objectsIn(slice, 'endpoints').some(
    (endpoint) => memberAt(endpoint, 'conditions', 'ready') !== false && itemsOf(endpoint['addresses']).length > 0,
  );

/** Sets the condition, with a new time only for a new status. `now` is RFC 3339 with seconds. */
export function withAvailability(object: ApiObject, { status, reason, message }: Availability, now: string): ApiObject {
  const conditions = objectsIn(objectAt(object, 'status') ?? {}, 'conditions');
  const position = conditions.findIndex((each) => each['type'] === 'Available');
  const before = conditions[position];
  const condition: JsonObject = {
    type: 'Available',
    status,
    lastTransitionTime: before?.['status'] === status ? (before['lastTransitionTime'] ?? now) : now,
    reason,
    message,
  };
  return {
    ...object,
    status: {
      ...(objectAt(object, 'status') ?? {}),
      conditions: position < 0 ? [...conditions, condition] : conditions.map((each, index) => (index === position ? condition : each)),
    },
  };
}

export const sameAvailability = (a: Availability | null, b: Availability): boolean =>
  a !== null && a.status === b.status && a.reason === b.reason && a.message === b.message;
