import type { JsonObject, JsonValue } from '../../../../../api/object.js';
import { objectAt, objectsIn } from '../../../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../../../api/json/members.js';
import { forbidden, invalid, notSupported, type Path, required, type FieldError } from '../../../../registry/validation/field.js';
import { whileOff, whileOn } from '../../../../registry/validation/gatedFindings.js';
import { nonNegative, optionallyOneOf, portNumber, portNumberOrName, positive } from '../../../../registry/validation/values.js';

/** Handlers of probes and lifecycle hooks: exactly one is required. */
type HandlerRule = (handler: JsonObject, path: Path, graceSeconds: number) => FieldError[];

const headerName = /^[-A-Za-z0-9]+$/;
const headerText =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";

const handlers: Readonly<Record<string, HandlerRule>> = {
  exec: (exec, path) => (itemsOf(exec['command']).length === 0 ? [required(path.child('command'), '')] : []),
  httpGet: (get, path) => [
    ...(textAt(get, 'path') === '' ? [required(path.child('path'), '')] : []),
    ...portNumberOrName(get['port'], path.child('port')),
    ...optionallyOneOf(get['scheme'], ['HTTP', 'HTTPS'], path.child('scheme')),
    ...objectsIn(get, 'httpHeaders')
      .filter((header) => !headerName.test(textAt(header, 'name')))
      .map((header) => invalid(path.child('httpHeaders'), textAt(header, 'name'), headerText)),
  ],
  tcpSocket: (socket, path) => portNumberOrName(socket['port'], path.child('port')),
  grpc: (grpc, path) => portNumber(grpc['port'], path.child('port')),
  sleep: (sleep, path, graceSeconds) => {
    const seconds = Number(sleep['seconds'] ?? 0);
    return [
      ...whileOn(
        'PodLifecycleSleepActionAllowZero',
        seconds < 0 || seconds > graceSeconds
          ? [invalid(path, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`)]
          : [],
      ),
      ...whileOff(
        'PodLifecycleSleepActionAllowZero',
        seconds <= 0 || seconds > graceSeconds
          ? [
              invalid(
                path,
                seconds,
                `must be greater than 0 and less than terminationGracePeriodSeconds (${graceSeconds}). Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep.`,
              ),
            ]
          : [],
      ),
    ];
  },
};

function validateHandler(holder: JsonObject, allowed: readonly string[], path: Path, graceSeconds: number): FieldError[] {
  const present = allowed.filter((name) => objectAt(holder, name) !== null);
  if (present.length === 0) return [required(path, 'must specify a handler type')];
  return present.flatMap((name, position) =>
    position > 0
      ? [forbidden(path.child(name), 'may not specify more than 1 handler type')]
      : (handlers[name] as HandlerRule)(objectAt(holder, name) as JsonObject, path.child(name), graceSeconds),
  );
}

const probeHandlers = ['exec', 'httpGet', 'tcpSocket', 'grpc'];
const lifecycleHandlers = ['exec', 'httpGet', 'tcpSocket', 'sleep'];
const probeNumbers = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];

function validateProbe(probe: JsonObject, path: Path, graceSeconds: number): FieldError[] {
  const grace = probe['terminationGracePeriodSeconds'];
  return [
    ...validateHandler(probe, probeHandlers, path, graceSeconds),
    ...probeNumbers.flatMap((member) => nonNegative(probe[member], path.child(member))),
    ...(grace === undefined || grace === null ? [] : positive(grace, path.child('terminationGracePeriodSeconds'))),
  ];
}

/** Only readiness probes may need several successes, and only the others may have a grace period. */
export function validateProbes(container: JsonObject, path: Path, graceSeconds: number): FieldError[] {
  return ['livenessProbe', 'readinessProbe', 'startupProbe'].flatMap((name) => {
    const probe = objectAt(container, name);
    return probe === null ? [] : [...validateProbe(probe, path.child(name), graceSeconds), ...probeRole(name, probe, path.child(name))];
  });
}

function probeRole(name: string, probe: JsonObject, path: Path): FieldError[] {
  if (name !== 'readinessProbe')
    return Number(probe['successThreshold'] ?? 1) === 1
      ? []
      : [invalid(path.child('successThreshold'), probe['successThreshold'], 'must be 1')];
  const grace = probe['terminationGracePeriodSeconds'];
  return grace === undefined || grace === null
    ? []
    : [invalid(path.child('terminationGracePeriodSeconds'), grace, 'must not be set for readinessProbes')];
}

export function validateLifecycle(lifecycle: JsonObject, path: Path, graceSeconds: number): FieldError[] {
  return ['postStart', 'preStop'].flatMap((name) => {
    const handler = objectAt(lifecycle, name);
    return handler === null ? [] : validateHandler(handler, lifecycleHandlers, path.child(name), graceSeconds);
  });
}

/** A required enumerated member, which defaults always set. */
export const enumerated = (value: JsonValue | undefined, supported: readonly string[], path: Path): FieldError[] =>
  supported.includes(String(value ?? '')) ? [] : [notSupported(path, value ?? '', supported)];
