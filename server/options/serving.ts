import { cidrs, hstsDirective, ipAddress, originPattern, portNumber, portRange } from '../../program/flags/checks.js';
import { inGroup } from '../../program/flags/flag.js';

/** Where and how the API server is reached, and how it stops. */
export const servingFlags = {
  ...inGroup('Secure serving', {
    'secure-port': {
      kind: 'int',
      default: 6443,
      min: 0,
      max: 65_535,
      help: 'HTTPS port with authentication and authorization. It cannot be switched off: 0 takes any free port and logs which.',
    },
    'serving-threads': {
      kind: 'int',
      default: 0,
      min: 0,
      max: 8,
      help: 'Threads that take connections and answer requests; 0 for one less than the machine has cores, at least 1 and at most 8, and for 1 with another store than the built-in one. Each keeps an index and caches of its own: see docs/scaling.md.',
    },
    'cert-dir': {
      kind: 'string',
      default: '/var/run/kubernetes',
      value: 'directory',
      help: 'Where the self-signed pair is kept when no certificate and key are given.',
    },
    'advertise-address': {
      kind: 'string',
      default: null,
      value: 'ip',
      check: ipAddress,
      help: 'Address under which members of the cluster reach this server. Otherwise the bind address, and if that is unspecified the first address of the machine.',
    },
    'external-hostname': {
      kind: 'string',
      default: null,
      value: 'name',
      help: 'Host name in URLs that leave the cluster, such as those of discovery documents.',
    },
    'cors-allowed-origins': {
      kind: 'strings',
      default: [],
      check: originPattern,
      value: 'regexp,...',
      help: 'Origins that browsers may call from, as regular expressions tied to both ends of the host name, such as ^https://example\\.com$. Empty allows none.',
    },
    'strict-transport-security-directives': {
      kind: 'strings',
      default: [],
      check: hstsDirective,
      help: 'Directives of the Strict-Transport-Security header, such as max-age=31536000,includeSubDomains. Empty sends no such header.',
    },
    'goaway-chance': {
      kind: 'float',
      default: 0,
      min: 0,
      max: 0.02,
      help: 'Share of HTTP/2 requests whose client is asked to connect anew, which spreads clients over servers. Not for a single server.',
    },
    console: {
      kind: 'bool',
      default: true,
      help: 'Serve a page for people under /console. It shows what its user may see, and costs nothing until somebody opens it.',
    },
    'console-launcher-socket': {
      kind: 'string',
      default: null,
      value: 'path',
      help: 'Unix socket of the launcher of a local cluster: the page then takes its sign-in links, and can kill, pause and restart members for administrators.',
    },
    'debug-socket-path': {
      kind: 'string',
      default: null,
      value: 'path',
      help: 'Unix socket that serves the pages under /debug/ to whoever may open it, without asking who that is.',
    },
  }),
  ...inGroup('Start and stop', {
    'livez-grace-period': {
      kind: 'duration',
      default: 0,
      help: 'Time after the start during which /livez takes unfinished start-up work for finished.',
    },
    'shutdown-delay-duration': {
      kind: 'duration',
      default: 0,
      help: 'Time between the signal to stop and the moment when the server takes no more requests. /readyz fails from the start of it.',
    },
    'shutdown-send-retry-after': {
      kind: 'bool',
      default: false,
      help: 'While stopping, finish the requests under way and answer new ones with 429, Retry-After and Connection: close.',
    },
    'shutdown-watch-termination-grace-period': {
      kind: 'duration',
      default: 0,
      help: 'Longest time given to open watches to end by themselves while stopping.',
    },
  }),
  ...inGroup('API server', {
    'allow-privileged': {
      kind: 'bool',
      default: false,
      help: 'Allow privileged containers. Otherwise pods and templates that ask for them are refused.',
    },
    'default-not-ready-toleration-seconds': {
      kind: 'int',
      default: 300,
      min: 0,
      help: 'How long pods tolerate notReady:NoExecute unless they say otherwise.',
    },
    'default-unreachable-toleration-seconds': { kind: 'int', default: 300, min: 0, help: 'The same for unreachable:NoExecute.' },
    'service-cluster-ip-range': {
      kind: 'string',
      default: null,
      value: 'cidr[,cidr]',
      check: cidrs,
      help: 'Range of service addresses, by default 10.0.0.0/24; two for both address families. Must not overlap with the ranges of nodes and pods.',
    },
    'service-node-port-range': {
      kind: 'string',
      default: '30000-32767',
      value: 'first-last',
      check: portRange,
      help: 'Ports, both ends included, that services may open on nodes.',
    },
    'kubernetes-service-node-port': {
      kind: 'int',
      default: 0,
      min: 0,
      max: 65_535,
      help: 'Not 0: the service of the API itself is of type NodePort with this port.',
    },
    'endpoint-reconciler-type': {
      kind: 'string',
      default: 'lease',
      oneOf: ['lease', 'master-count', 'none'],
      help: "Whether servers keep the endpoints of the API's own service, by leases of those that are there; master-count is an older word for it.",
    },
    'runtime-config': {
      kind: 'map',
      default: {},
      bare: 'true',
      check: (value) => (/^(true|false|)$/.test(value) ? null : 'true or false'),
      help: 'What to serve or not to serve: resources (batch/v1/jobs=false), versions (batch/v1=false; v1 for the core group), or all of a stage: api/all, api/ga, api/beta, api/alpha. The most particular key counts.',
    },
    'runtime-config-emulation-forward-compatible': {
      kind: 'bool',
      default: false,
      help: 'Serve versions named in --runtime-config although they are newer than the emulated version. Otherwise the server does not start when it names one.',
    },
    'emulation-forward-compatible': {
      kind: 'bool',
      default: false,
      help: 'Serve the more stable versions, which came after the emulated version, of resources that are served in an earlier one.',
    },
  }),
  ...inGroup('Admission', {
    'enable-admission-plugins': { kind: 'strings', default: [], help: 'Admission plugins to run besides the default ones, in any order.' },
    'disable-admission-plugins': { kind: 'strings', default: [], help: 'Default admission plugins not to run.' },
    'admission-control-config-file': {
      kind: 'string',
      default: null,
      value: 'file',
      help: 'File of kind AdmissionConfiguration: what single plugins are to do.',
    },
  }),
  ...inGroup('Connections to nodes and other servers', {
    'kubelet-certificate-authority': {
      kind: 'string',
      default: null,
      value: 'file',
      help: "Authorities of node agents' certificates. Without it they are not checked.",
    },
    'kubelet-client-certificate': { kind: 'string', default: null, value: 'file', help: 'Certificate shown to node agents.' },
    'kubelet-client-key': { kind: 'string', default: null, value: 'file', help: 'Its key.' },
    'kubelet-preferred-address-types': {
      kind: 'strings',
      default: ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'],
      oneOf: ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'],
      help: 'Which address of a node to use, best first.',
    },
    'kubelet-timeout': { kind: 'duration', default: 5_000, min: 1, help: 'How long a connection to a node agent may take to be there.' },
    'proxy-client-cert-file': {
      kind: 'string',
      default: null,
      value: 'file',
      help: 'Certificate shown to extension servers and admission webhooks, signed by --requestheader-client-ca-file.',
    },
    'proxy-client-key-file': { kind: 'string', default: null, value: 'file', help: 'Its key.' },
    'enable-aggregator-routing': {
      kind: 'bool',
      default: false,
      help: 'Send requests to webhooks and extension servers to endpoint addresses rather than service addresses.',
    },
    'aggregator-reject-forwarding-redirect': {
      kind: 'bool',
      default: true,
      help: 'Do not pass redirects of extension servers on to clients.',
    },
    'egress-selector-config-file': {
      kind: 'string',
      default: null,
      value: 'file',
      help: 'File of kind EgressSelectorConfiguration: by which way to reach nodes, pods and services (cluster), services outside that are asked (controlplane) and the etcd (etcd): directly, or through a proxy that speaks HTTP CONNECT or the protocol of Konnectivity over gRPC.',
    },
    'peer-advertise-ip': {
      kind: 'string',
      default: null,
      value: 'ip',
      check: ipAddress,
      help: 'Address under which other API servers reach this one, to pass on requests for versions that they do not serve.',
    },
    'peer-advertise-port': {
      kind: 'string',
      default: null,
      value: 'port',
      check: portNumber,
      help: 'Port for the same purpose; otherwise that of --secure-port.',
    },
    'peer-ca-file': {
      kind: 'string',
      default: null,
      value: 'file',
      help: "Authorities of other API servers' certificates.",
    },
    'tracing-config-file': {
      kind: 'string',
      default: null,
      value: 'file',
      help: 'File of kind TracingConfiguration: to which collector (OTLP over gRPC) requests are traced, and how many of them.',
    },
  }),
} as const;
