import { ciphers as cipherNames, curveIds, tlsVersions } from './tls.js';
import { ipAddress, metricLabels, minorVersion, moduleLevels, reportedVersion } from './checks.js';
import { inGroup, type FlagValues } from './flag.js';

/** Options that both programs have, with the same meaning. */
export const commonFlags = {
  ...inGroup('General', {
    help: { kind: 'bool', default: false, short: 'h', help: 'Print this text and exit.' },
    version: {
      kind: 'version',
      default: null,
      check: reportedVersion,
      help: 'Print the version and exit; "raw" prints everything that is known about the build, and --version=vX.Y.Z changes the version that is reported.',
    },
    'feature-gates': {
      kind: 'gates',
      default: {},
      help: 'Features to switch on or off, as [component:]Feature=true|false.',
      check: (value) => (/^(true|false)$/.test(value) ? null : 'true or false'),
    },
    'emulated-version': {
      kind: 'strings',
      default: [],
      help: 'Versions whose behaviour is to be emulated, as [component=]major.minor.',
    },
  }),
  ...inGroup('Logs', {
    v: {
      kind: 'int',
      default: 0,
      short: 'v',
      min: -2_147_483_648,
      max: 2_147_483_647,
      help: 'How much is logged: 0 only events that matter, 2 changes of state, 3 each request, 4 and more for finding faults.',
    },
    vmodule: {
      kind: 'string',
      default: null,
      value: 'pattern=N,...',
      check: moduleLevels,
      help: 'Log levels of single parts of the program, by the name that stands in their log lines.',
    },
    'logging-format': {
      kind: 'string',
      default: 'text',
      oneOf: ['text', 'json'],
      help: 'Form of log lines: for people, or one JSON object each, with the time in milliseconds ("ts"), the event ("msg") and its facts.',
    },
    'log-flush-frequency': {
      kind: 'duration',
      default: 5_000,
      min: 1,
      help: 'Longest time that log lines are held back, where a buffer holds them back at all.',
    },
    'log-text-info-buffer-size': {
      kind: 'quantity',
      default: 0,
      help: 'Bytes of lines other than errors to hold back before they are written, where streams are split. Needs the feature gate LoggingAlphaOptions.',
    },
    'log-text-split-stream': {
      kind: 'bool',
      default: false,
      help: 'Write errors to standard error and everything else to standard output. Needs the feature gate LoggingAlphaOptions.',
    },
    'log-json-info-buffer-size': { kind: 'quantity', default: 0, help: 'As --log-text-info-buffer-size, for --logging-format=json.' },
    'log-json-split-stream': { kind: 'bool', default: false, help: 'As --log-text-split-stream, for --logging-format=json.' },
  }),
  ...inGroup('Metrics and profiling', {
    'disabled-metrics': { kind: 'strings', default: [], help: 'Metrics, by full name, that are not to be collected.' },
    'show-hidden-metrics-for-version': {
      kind: 'string',
      default: null,
      check: minorVersion,
      help: 'The previous minor version, to show metrics again that were hidden since.',
    },
    'allow-metric-labels': {
      kind: 'repeated',
      default: [],
      check: metricLabels,
      value: 'metric,label=value,...',
      help: 'Values that a label of a metric may have; others are collected as "unexpected".',
    },
    'allow-metric-labels-manifest': {
      kind: 'string',
      default: null,
      value: 'file',
      help: 'File in YAML with the same mapping, of texts such as "metric,label" to "value,value"; for a label that both name the option above wins.',
    },
    profiling: {
      kind: 'bool',
      default: true,
      help: 'Serve profiles under /debug/pprof/, for go tool pprof, or for DevTools with ?format=.',
    },
    'contention-profiling': {
      kind: 'bool',
      default: false,
      help: 'Also profile how long things wait for their turn (/debug/pprof/block), where profiling is on.',
    },
  }),
  ...inGroup('Secure serving', {
    'bind-address': {
      kind: 'string',
      default: '0.0.0.0',
      value: 'ip',
      check: ipAddress,
      help: 'Address to listen on. Empty, 0.0.0.0 and :: mean all interfaces and address families.',
    },
    'tls-cert-file': {
      kind: 'string',
      default: null,
      value: 'file',
      help: 'PEM file with the certificate for HTTPS, followed by its chain. Without it and the key, a self-signed pair is made in --cert-dir.',
    },
    'tls-private-key-file': { kind: 'string', default: null, value: 'file', help: 'PEM file with the key of --tls-cert-file.' },
    'tls-sni-cert-key': {
      kind: 'repeated',
      default: [],
      value: 'cert,key[:name,...]',
      help: 'A certificate and key for clients that ask for certain names: those given after the colon, or else those in the certificate. *.example.com is understood; exact names win over it, and given names over those of certificates. Repeatable.',
    },
    'tls-min-version': {
      kind: 'string',
      default: null,
      oneOf: Object.keys(tlsVersions),
      help: 'Oldest TLS version accepted (VersionTLS12 unless given).',
    },
    'tls-cipher-suites': {
      kind: 'strings',
      default: [],
      oneOf: Object.keys(cipherNames),
      help: 'Cipher suites for TLS 1.2 and older, in order of preference. Those of TLS 1.3 are always on.',
    },
    'tls-curve-preferences': {
      kind: 'strings',
      default: [],
      value: 'id,...',
      oneOf: curveIds,
      help: 'Key exchanges that are allowed, by their numbers at IANA, in any order: 23 (P-256), 24 (P-384), 25 (P-521), 29 (X25519), and 4587, 4588, 4589 (with ML-KEM) where the OpenSSL of this Node has them. Those of the runtime where it is not given.',
    },
    'disable-http2-serving': { kind: 'bool', default: false, help: 'Serve HTTP/1.1 only.' },
    'http2-max-streams-per-connection': {
      kind: 'int',
      default: 0,
      min: 0,
      max: 1_000_000,
      help: 'Requests that a client may have open on one HTTP/2 connection; 0 for the usual limit (1000).',
    },
    'permit-address-sharing': {
      kind: 'bool',
      default: false,
      help: 'Listen with SO_REUSEADDR, so that a restart need not wait for old connections. This is always so here, on every system but Windows; the option is there for scripts that give it.',
    },
    'permit-port-sharing': {
      kind: 'bool',
      default: false,
      help: 'Listen with SO_REUSEPORT, so that several processes can share one port. Needs Node 22.12 or later, on Linux or another system that has it.',
    },
  }),
  ...inGroup('Controllers and server together', {
    'enable-garbage-collector': {
      kind: 'bool',
      default: true,
      help: 'Collect objects whose owners are gone. Must be the same for the API server and the controller manager.',
    },
  }),
} as const;

export type CommonOptions = FlagValues<typeof commonFlags>;
