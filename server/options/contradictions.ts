import { portsIn } from '../../program/flags/checks.js';
import { conflictingOverrides, readEtcdOverride } from './etcdOverrides.js';
import { isIP } from 'node:net';
import { formatDuration } from '../../program/flags/duration.js';
import { admissionProblem } from './admission.js';
import type { ApiServerOptions } from './flags.js';
import { emulationProblem } from './emulation.js';
import type { ServerGate } from '../../program/features/gates.js';
import { featuresProblem, featuresOf } from '../../program/features/options.js';
import { loggingProblem } from '../../program/log/options.js';
import { hiddenMetricsProblem } from '../../program/metrics/options.js';
import { emulatedRuntimeConfigProblem, runtimeConfigProblem } from './runtimeConfig.js';

/** A rule between options returns an error with their names, or null. */
type Rule = (options: ApiServerOptions, given: ReadonlySet<string>) => string | null;

export function contradictions(options: ApiServerOptions, given: ReadonlySet<string>): string[] {
  return rules.map((rule) => rule(options, given)).filter((problem) => problem !== null);
}

type Name = keyof ApiServerOptions;

const pair =
  (a: Name, b: Name): Rule =>
  (_, given) =>
    given.has(a) === given.has(b) ? null : `--${a} and --${b} belong together: give both or neither`;
const needs =
  (a: Name, b: Name): Rule =>
  (_, given) =>
    given.has(a) && !given.has(b) ? `--${a} needs --${b}` : null;
const excludes =
  (a: Name, ...others: readonly Name[]): Rule =>
  (_, given) => {
    const also = given.has(a) ? others.filter((name) => given.has(name)) : [];
    return also.length === 0 ? null : `--${a} and ${also.map((name) => `--${name}`).join(', ')} exclude each other`;
  };

const needing: readonly (readonly [option: Name, feature: ServerGate])[] = [
  ['requestheader-uid-headers', 'RemoteRequestHeaderUID'],
  ['service-account-signing-endpoint', 'ExternalServiceAccountTokenSigner'],
  ['peer-ca-file', 'UnknownVersionInteroperabilityProxy'],
  ['peer-advertise-ip', 'UnknownVersionInteroperabilityProxy'],
  ['peer-advertise-port', 'UnknownVersionInteroperabilityProxy'],
];

const oidcNames = [
  'oidc-issuer-url',
  'oidc-client-id',
  'oidc-ca-file',
  'oidc-username-claim',
  'oidc-username-prefix',
  'oidc-groups-claim',
  'oidc-groups-prefix',
  'oidc-required-claim',
  'oidc-signing-algs',
] as const;

const rules: readonly Rule[] = [
  pair('tls-cert-file', 'tls-private-key-file'),
  suitesOfHttp2,
  ({ 'serving-threads': threads }, given) =>
    threads > 1 && given.has('etcd-servers')
      ? '--serving-threads above 1 is for the built-in store: with --etcd-servers, leave it out'
      : null,
  pair('kubelet-client-certificate', 'kubelet-client-key'),
  pair('proxy-client-cert-file', 'proxy-client-key-file'),
  (options) =>
    options['storage-backend'] === 'memory' && (options['etcd-servers'].length > 0 || options['serving-threads'] > 1)
      ? '--storage-backend=memory is one process and one thread: leave out --etcd-servers and --serving-threads'
      : null,
  pair('etcd-certfile', 'etcd-keyfile'),
  needs('etcd-servers-overrides', 'etcd-servers'),
  (options) => conflictingOverrides(options['etcd-servers-overrides'].flatMap((text) => readEtcdOverride(text) ?? [])),
  pair('raft-cert-file', 'raft-key-file'),
  excludes('raft-cluster-token-file', 'raft-cluster-token'),
  ...oidcNames.flatMap((name) => [needs(name, 'oidc-issuer-url'), needs(name, 'oidc-client-id')]),
  oidcIssuer,
  needs('raft-cert-file', 'raft-ca-file'),
  needs('service-account-signing-key-file', 'service-account-issuer'),
  needs('service-account-signing-key-file', 'service-account-key-file'),
  needs('service-account-signing-endpoint', 'service-account-issuer'),
  accountIssuers,
  accountTokenLifetime,
  needs('encryption-provider-config-automatic-reload', 'encryption-provider-config'),
  excludes('authentication-config', ...oidcNames),
  excludes(
    'authorization-config',
    'authorization-mode',
    'authorization-webhook-config-file',
    'authorization-webhook-version',
    'authorization-webhook-cache-authorized-ttl',
    'authorization-webhook-cache-unauthorized-ttl',
  ),
  excludes('service-account-signing-endpoint', 'service-account-signing-key-file', 'service-account-key-file'),
  modeNeeds('ABAC', 'authorization-policy-file'),
  modeNeeds('Webhook', 'authorization-webhook-config-file'),
  modesAreUnique,
  serviceRanges,
  ownNodePort,
  clusterHoldsThisMember,
  severalMembersNeedCertificates,
  electionTimeout,
  inOrder('coordinated-leadership-lease-duration', 'coordinated-leadership-renew-deadline'),
  inOrder('coordinated-leadership-renew-deadline', 'coordinated-leadership-retry-period'),
  auditThrottle('log'),
  auditThrottle('webhook'),
  auditCuts('log'),
  auditCuts('webhook'),
  (options) => runtimeConfigProblem(options['runtime-config']),
  emulatedRuntimeConfigProblem,
  seatsToShare,
  emulationProblem,
  hiddenMetricsProblem,
  featuresProblem,
  neededFeatureProblem,
  (options, given) => {
    const features = featuresOf(options);
    return loggingProblem(options, given, {
      alpha: features.enabled('LoggingAlphaOptions'),
      beta: features.enabled('LoggingBetaOptions'),
    });
  },
  (options) => admissionProblem(options),
];

/** RFC 9113, section 9.2.2, requires one of these below TLS 1.3; without it, HTTP/2 clients could not use TLS 1.2. */
const http2Suites = ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256'];

function suitesOfHttp2(options: ApiServerOptions): string | null {
  const suites = options['tls-cipher-suites'];
  if (
    suites.length === 0 ||
    options['disable-http2-serving'] ||
    options['tls-min-version'] === 'VersionTLS13' ||
    suites.some((suite) => http2Suites.includes(suite))
  )
    return null;
  return `--tls-cipher-suites needs ${http2Suites.join(' or ')} for HTTP/2; add one of them, or give --disable-http2-serving or --tls-min-version=VersionTLS13`;
}

/** No request could ever run. */
function seatsToShare(options: ApiServerOptions): string | null {
  return options['enable-priority-and-fairness'] && options['max-requests-inflight'] + options['max-mutating-requests-inflight'] === 0
    ? '--enable-priority-and-fairness needs --max-requests-inflight or --max-mutating-requests-inflight above 0: it shares their sum'
    : null;
}

function modeNeeds(mode: string, option: Name): Rule {
  return (options, given) => {
    const on = options['authorization-mode'].includes(mode);
    if (on && !given.has(option)) return `--authorization-mode=${mode} needs --${option}`;
    // A configuration file may name it, checked when it is read.
    return !on && given.has(option) && !given.has('authorization-config') ? `--${option} needs --authorization-mode to name ${mode}` : null;
  };
}

const auditDestinations = { log: 'audit-log-path', webhook: 'audit-webhook-config-file' } as const;

/** Nothing would be sent without a rate. */
function auditThrottle(backend: 'log' | 'webhook'): Rule {
  return (options, given) => {
    const prefix = `audit-${backend}-batch-throttle` as const;
    if (!given.has(auditDestinations[backend]) || options[`audit-${backend}-mode`] !== 'batch' || !options[`${prefix}-enable`]) return null;
    const zero = (['qps', 'burst'] as const).find((part) => options[`${prefix}-${part}`] <= 0);
    return zero === undefined ? null : `--${prefix}-enable needs --${prefix}-${zero} above 0`;
  };
}

/** A batch too small for one entry would never be sent. */
function auditCuts(backend: 'log' | 'webhook'): Rule {
  return (options, given) => {
    const prefix = `audit-${backend}-truncate` as const;
    const [batch, event] = [options[`${prefix}-max-batch-size`], options[`${prefix}-max-event-size`]];
    if (!given.has(auditDestinations[backend]) || !options[`${prefix}-enabled`] || batch > event) return null;
    return `--${prefix}-max-batch-size (${batch}) must be above --${prefix}-max-event-size (${event})`;
  };
}

/** Each issuer's tokens have one meaning. */
function oidcIssuer(options: ApiServerOptions): string | null {
  const issuer = options['oidc-issuer-url'];
  return issuer !== null && options['service-account-issuer'].includes(issuer)
    ? `--oidc-issuer-url and --service-account-issuer name the same issuer: ${issuer}`
    : null;
}

function accountIssuers(options: ApiServerOptions): string | null {
  const issuers = options['service-account-issuer'];
  if (issuers.includes('')) return '--service-account-issuer must not be empty';
  if (new Set(issuers).size !== issuers.length) return `--service-account-issuer names an issuer twice: ${issuers.join(', ')}`;
  const broken = issuers.find((issuer) => issuer.includes(':') && !URL.canParse(issuer));
  return broken === undefined ? null : `--service-account-issuer: ${JSON.stringify(broken)} contains a ':' and so must be a URL`;
}

const tokenLifetimeMinMs = 3_600_000;
const tokenLifetimeMaxMs = 2 ** 32 * 1000;

function accountTokenLifetime(options: ApiServerOptions, given: ReadonlySet<string>): string | null {
  const longest = options['service-account-max-token-expiration'];
  if (
    !given.has('service-account-max-token-expiration') ||
    longest === 0 ||
    (longest >= tokenLifetimeMinMs && longest <= tokenLifetimeMaxMs)
  )
    return null;
  return `--service-account-max-token-expiration must be between ${formatDuration(tokenLifetimeMinMs)} and 2^32 seconds, not ${formatDuration(longest)}`;
}

function modesAreUnique(options: ApiServerOptions): string | null {
  const modes = options['authorization-mode'];
  return new Set(modes).size === modes.length ? null : `--authorization-mode names a mode twice: ${modes.join(',')}`;
}

function serviceRanges(options: ApiServerOptions): string | null {
  const [first, second] = (options['service-cluster-ip-range'] ?? '').split(',').map((range) => isIP(range.split('/')[0] ?? ''));
  return second !== undefined && first === second ? '--service-cluster-ip-range: two ranges must be of different address families' : null;
}

function ownNodePort(options: ApiServerOptions): string | null {
  const [port, range] = [options['kubernetes-service-node-port'], options['service-node-port-range']];
  const { first, last } = portsIn(range);
  return port === 0 || (port >= first && port <= last)
    ? null
    : `--kubernetes-service-node-port (${port}) must be within --service-node-port-range (${range})`;
}

function clusterHoldsThisMember(options: ApiServerOptions): string | null {
  const ids = options['raft-initial-cluster'].map((member) => member.slice(0, member.indexOf('=')));
  const own = options['raft-member-id'];
  if (new Set(ids).size !== ids.length) return `--raft-initial-cluster names a member twice: ${ids.join(', ')}`;
  return ids.length === 0 || ids.includes(own)
    ? null
    : `--raft-initial-cluster must hold this member: --raft-member-id is ${own}, the cluster has ${ids.join(', ')}`;
}

function severalMembersNeedCertificates(options: ApiServerOptions, given: ReadonlySet<string>): string | null {
  if (options['raft-initial-cluster'].length < 2) return null;
  const missing = (['raft-ca-file', 'raft-cert-file', 'raft-key-file'] as const).filter((name) => !given.has(name));
  return missing.length === 0
    ? null
    : `several members in --raft-initial-cluster need ${missing.map((name) => `--${name}`).join(', ')}: members trust each other by certificate only`;
}

type CoordinationOption = Extract<Name, `coordinated-leadership-${string}`>;

function inOrder(longer: CoordinationOption, shorter: CoordinationOption): Rule {
  return (options) => (options[longer] > options[shorter] ? null : `--${longer} must be greater than --${shorter}`);
}

/** One lost message could start an election with fewer than five heartbeats. */
function electionTimeout(options: ApiServerOptions): string | null {
  const [beat, timeout] = [options['raft-heartbeat-interval'], options['raft-election-timeout']];
  return timeout >= beat * 5
    ? null
    : `--raft-election-timeout (${formatDuration(timeout)}) must be at least five times --raft-heartbeat-interval (${formatDuration(beat)})`;
}

function neededFeatureProblem(options: ApiServerOptions, given: ReadonlySet<string>): string | null {
  const features = featuresOf(options);
  const off = needing.find(([option, feature]) => given.has(option) && !features.enabled(feature));
  return off === undefined ? null : `--${off[0]} needs the feature ${off[1]}; give --feature-gates=${off[1]}=true as well`;
}
