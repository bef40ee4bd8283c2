import * as enums from '../../../../../api/data/enums.js';
import {
  all,
  invalid,
  itemsOf,
  knowing,
  members,
  nonNegative,
  oneOf,
  optional,
  portNumber,
  portNumberOrName,
  positive,
  required,
  union,
  whileOff,
  whileOn,
  type FieldError,
  type Path,
  type Writable,
} from '../../../language.js';
import type * as v1 from '../../../../../api/types/core/v1.js';
import type { PodFacts } from './facts.js';

const headerName = /^[-A-Za-z0-9]+$/;
const headerText =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";

const headers = (list: Writable<v1.HTTPHeader>[] | undefined, path: Path): FieldError[] =>
  itemsOf(list).flatMap(({ name = '' }) => (headerName.test(name) ? [] : [invalid(path, name, headerText)]));

const common = {
  exec: members<v1.ExecAction>({ command: required() }),
  httpGet: members<v1.HTTPGetAction>({
    path: required(),
    port: portNumberOrName,
    scheme: optional(oneOf(...enums.URIScheme)),
    httpHeaders: headers,
  }),
  tcpSocket: members<v1.TCPSocketAction>({ port: portNumberOrName }),
};

const sleep = knowing((action: Writable<v1.SleepAction> | undefined, path, { graceSeconds }: PodFacts): FieldError[] => {
  const seconds = action?.seconds ?? 0;
  const outside = (least: number, text: string): FieldError[] =>
    seconds < least || seconds > graceSeconds ? [invalid(path, seconds, text)] : [];
  const limit = `less than terminationGracePeriodSeconds (${graceSeconds})`;
  return [
    ...whileOn('PodLifecycleSleepActionAllowZero', outside(0, `must be non-negative and ${limit}`)),
    ...whileOff(
      'PodLifecycleSleepActionAllowZero',
      outside(1, `must be greater than 0 and ${limit}. Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep.`),
    ),
  ];
});

const texts = { none: 'must specify a handler type', surplus: 'may not specify more than 1 handler type' };
const handler = union<v1.LifecycleHandler, PodFacts>({ ...common, sleep }, texts);

const probe = all<Writable<v1.Probe> | undefined>(
  union<v1.Probe>({ ...common, grpc: members<v1.GRPCAction>({ port: portNumber }) }, texts),
  members<v1.Probe>({
    initialDelaySeconds: optional(nonNegative),
    timeoutSeconds: optional(nonNegative),
    periodSeconds: optional(nonNegative),
    successThreshold: optional(nonNegative),
    failureThreshold: optional(nonNegative),
    terminationGracePeriodSeconds: optional(positive),
  }),
);

const isOne = (value: number, path: Path): FieldError[] => (value === 1 ? [] : [invalid(path, value, 'must be 1')]);
const notOfReadiness = (value: number, path: Path): FieldError[] => [invalid(path, value, 'must not be set for readinessProbes')];
const restarting = optional(probe, members<v1.Probe>({ successThreshold: optional(isOne) }));

export const longRunning = members<v1.Container, PodFacts>({
  lifecycle: optional(members<v1.Lifecycle, PodFacts>({ postStart: optional(handler), preStop: optional(handler) })),
  livenessProbe: restarting,
  readinessProbe: optional(probe, members<v1.Probe>({ terminationGracePeriodSeconds: optional(notOfReadiness) })),
  startupProbe: restarting,
});
