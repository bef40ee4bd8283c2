/**
 * What the bundles' tests assert of each option: one row for each group of options that a test shows together, below the servers that these are given to. The
 * tests name a row by its first option.
 */

type Row = readonly [options: string, shows: string];
export type ProbedProgram = 'apiserver' | 'controller-manager';

/** Options for concurrent workers, their number, and the account and resource that show it. */
export const workers: readonly (readonly [option: string, atOnce: number, account: string, resource: string])[] = [
  ['concurrent-cron-job-syncs', 2, 'cronjob-controller', 'jobs'],
  ['concurrent-daemonset-syncs', 3, 'daemon-set-controller', 'controllerrevisions'],
  ['concurrent-deployment-syncs', 2, 'deployment-controller', 'replicasets'],
  ['concurrent-endpoint-syncs', 2, 'endpoint-controller', 'endpoints'],
  ['concurrent-ephemeralvolume-syncs', 2, 'ephemeral-volume-controller', 'persistentvolumeclaims'],
  ['concurrent-gc-syncs', 3, 'generic-garbage-collector', 'configmaps'],
  ['concurrent-horizontal-pod-autoscaler-syncs', 2, 'horizontal-pod-autoscaler', 'deployments'],
  ['concurrent-job-syncs', 2, 'job-controller', 'pods'],
  ['concurrent-namespace-syncs', 2, 'namespace-controller', 'configmaps'],
  ['concurrent-rc-syncs', 2, 'replication-controller', 'pods'],
  ['concurrent-replicaset-syncs', 2, 'replicaset-controller', 'pods'],
  ['concurrent-resource-quota-syncs', 2, 'resourcequota-controller', 'resourcequotas'],
  ['concurrent-service-endpoint-syncs', 2, 'endpointslice-controller', 'endpointslices'],
  ['concurrent-serviceaccount-token-syncs', 2, 'admin', 'secrets'],
  ['concurrent-statefulset-syncs', 2, 'statefulset-controller', 'controllerrevisions'],
  ['concurrent-ttl-after-finished-syncs', 2, 'ttl-after-finished-controller', 'jobs'],
  ['mirroring-concurrent-service-endpoint-syncs', 2, 'endpointslicemirroring-controller', 'endpointslices'],
];

export const asserted: Readonly<Record<ProbedProgram, Readonly<Record<string, readonly Row[]>>>> = {
  apiserver: {
    'an API server with other doors, nodes, services and plug-ins': [
      ['bind-address, secure-port', 'listens there, and nowhere else'],
      ['tls-cert-file, tls-private-key-file, tls-sni-cert-key', 'certificates, by name'],
      ['tls-min-version, tls-cipher-suites', 'older clients by one suite, none before 1.2'],
      ['http2-max-streams-per-connection', 'is what clients see'],
      ['goaway-chance', 'one request in fifty is the last of its connection'],
      ['cors-allowed-origins, strict-transport-security-directives', 'headers for browsers'],
      ['advertise-address, kubernetes-service-node-port, service-cluster-ip-range', "the API's own service"],
      ['service-node-port-range', 'ports of services are in it'],
      ['external-hostname', 'is in what leaves the cluster'],
      [
        'allow-privileged, default-not-ready-toleration-seconds, default-unreachable-toleration-seconds, enable-admission-plugins, disable-admission-plugins, admission-control-config-file',
        'a privileged pod in a namespace that nobody made, without an account',
      ],
      ['runtime-config', 'one resource is not served'],
      ['event-ttl', 'events go'],
      ['debug-socket-path, profiling, contention-profiling', 'pages about the process, also on a socket'],
      ['disabled-metrics, allow-metric-labels, show-hidden-metrics-for-version', 'what metrics tell'],
      ['etcd-count-metric-poll-period, etcd-db-metric-poll-interval', 'figures that are gathered now and then'],
      ['logging-format, v', 'a line for each request, in JSON'],
      ['delete-collection-workers', 'so many are deleted at the same time'],
      [
        'kubelet-certificate-authority, kubelet-client-certificate, kubelet-client-key, kubelet-preferred-address-types, kubelet-timeout',
        'agents are reached where and as configured, and not waited for',
      ],
      ['max-connection-bytes-per-sec', 'what an agent sends at once takes its time'],
      [
        'requestheader-client-ca-file, requestheader-allowed-names, requestheader-username-headers, requestheader-group-headers, requestheader-extra-headers-prefix, requestheader-uid-headers, client-ca-file',
        'who users are, by certificate or as a front proxy says',
      ],
      ['peer-advertise-ip, peer-advertise-port', "in the server's lease, for other servers"],
      ['version', 'is what the server is configured to report'],
      ['help', 'every option is listed'],
    ],
    'an API server with less of everything': [
      ['cert-dir', 'has the pair that was made'],
      ['disable-http2-serving, tls-min-version', 'HTTP/1.1 by TLS 1.3'],
      ['profiling', 'is off'],
      ['allow-metric-labels-manifest', 'bounds labels'],
      [
        'emulated-version, emulation-forward-compatible, runtime-config-emulation-forward-compatible, feature-gates',
        'what an earlier version has, and what came later where it is asked for',
      ],
      ['enable-garbage-collector', 'nobody waits for what nobody does'],
      ['endpoint-reconciler-type', 'nobody says where the API is'],
      ['max-mutating-requests-inflight, max-requests-inflight, enable-priority-and-fairness', 'one of each kind at a time, without queues'],
      ['request-timeout', 'a request ends before the hook that it waits for'],
      ['min-request-timeout', 'watches end by themselves'],
      ['etcd-compaction-interval', 'history goes'],
      ['etcd-prefix, storage-media-type', 'how objects lie in the store'],
      [
        'log-text-split-stream, log-text-info-buffer-size, log-flush-frequency, vmodule',
        'lines of one part, on a stream of their own, in time',
      ],
      [
        'audit-log-batch-throttle-enable, audit-log-batch-throttle-qps, audit-log-batch-throttle-burst, audit-log-batch-buffer-size, audit-webhook-batch-buffer-size',
        'one batch at once and the next in a quarter of an hour; so many may wait, and what comes then is lost',
      ],
      ['permit-port-sharing', 'another server on the same port, where Node can'],
    ],
    'an API server that stops': [
      [
        'shutdown-delay-duration, shutdown-send-retry-after, shutdown-watch-termination-grace-period',
        'serves for a while, sends newcomers away with 429, and ends watches last',
      ],
    ],
    'an API server that takes tokens of all kinds': [
      ['anonymous-auth', 'strangers are turned away'],
      ['token-auth-file', 'a fixed token is a user'],
      ['enable-bootstrap-token-auth', 'secrets are tokens of joining nodes'],
      [
        'oidc-issuer-url, oidc-client-id, oidc-ca-file, oidc-username-claim, oidc-username-prefix, oidc-groups-claim, oidc-groups-prefix, oidc-required-claim, oidc-signing-algs',
        'tokens of an issuer, as far as they are right',
      ],
      [
        'authentication-token-webhook-config-file, authentication-token-webhook-version, authentication-token-webhook-cache-ttl',
        'a service is asked, once',
      ],
      ['authorization-mode, authorization-policy-file', 'what a line of a file allows'],
      [
        'authorization-webhook-config-file, authorization-webhook-version, authorization-webhook-cache-authorized-ttl, authorization-webhook-cache-unauthorized-ttl',
        'a service is asked again after a no, and not after a yes',
      ],
      [
        'service-account-issuer, service-account-signing-key-file, service-account-key-file, service-account-jwks-uri, api-audiences',
        'tokens of accounts: by whom, for whom, and with which keys',
      ],
      ['service-account-max-token-expiration, service-account-extend-token-expiration', 'how long they live'],
      ['service-account-lookup', 'without it a token of a secret outlives its account, and an issued one does not'],
      ['audit-policy-file, audit-log-path, audit-log-format, audit-log-mode', 'a line for what the policy names, before the answer'],
      [
        'audit-webhook-config-file, audit-webhook-mode, audit-webhook-version, audit-webhook-truncate-enabled, audit-webhook-truncate-max-event-size, audit-webhook-truncate-max-batch-size',
        'a service hears before the client does, without bodies that are too large',
      ],
    ],
    'an API server with an audit log that rotates and is written in batches': [
      [
        'audit-log-mode, audit-log-version, audit-log-batch-max-size, audit-log-batch-max-wait',
        'four lines at a time, in the version asked for',
      ],
      [
        'audit-webhook-batch-max-size, audit-webhook-batch-max-wait, audit-webhook-batch-throttle-enable, audit-webhook-batch-throttle-qps, audit-webhook-batch-throttle-burst, audit-webhook-initial-backoff',
        'three at a time, again after a failure, and then not for a long time',
      ],
      [
        'audit-log-maxsize, audit-log-maxbackup, audit-log-maxage, audit-log-compress, audit-log-truncate-enabled, audit-log-truncate-max-event-size, audit-log-truncate-max-batch-size',
        'full files make room, are compressed and go; entries that are too large lose their bodies',
      ],
    ],
    'an API server with files and services beside it': [
      ['authentication-config, egress-selector-config-file', 'issuers, by a proxy; strangers at one path; and anew'],
      ['authorization-config', 'who may do what, and anew'],
      ['encryption-provider-config, encryption-provider-config-automatic-reload', 'secrets are stored under a key, and a new one'],
      ['tracing-config-file', 'spans of requests reach a collector'],
      ['service-account-signing-endpoint', 'another program signs tokens'],
      [
        'enable-aggregator-routing, proxy-client-cert-file, proxy-client-key-file, aggregator-reject-forwarding-redirect',
        'an API of others at its endpoint, with a certificate, and its redirects',
      ],
      [
        'livez-grace-period, storage-initialization-timeout',
        'on the same data without its keys: alive for a while, never ready, and waited for only so long',
      ],
    ],
    'an API server that keeps nothing': [
      ['storage-backend, permit-address-sharing', 'begins with nothing, on the port that it has just left'],
    ],
    'API servers over an etcd': [
      ['watch-cache, watch-cache-sizes', 'what is not kept in memory is read from the store'],
      ['lease-reuse-duration-seconds', 'events of one second share a lease, and later ones have another'],
    ],
  },
  'controller-manager': {
    'a controller manager with few workers and settings of its own': [
      [
        'leader-elect, leader-elect-resource-name, leader-elect-resource-namespace, leader-elect-lease-duration, leader-elect-retry-period, leader-elect-resource-lock',
        'a lease of that name and duration, renewed at that pace',
      ],
      ['enable-leader-migration, leader-migration-config', 'controllers that move have a lease of their own'],
      ...workers.map(([option, atOnce, account]): Row => [option, `${account} works on ${atOnce} at a time`]),
      ['kubeconfig', 'is how it found the server'],
      ['use-service-account-credentials', 'controllers act as themselves'],
      ['max-endpoints-per-slice', 'a service of five has three slices'],
      ['mirroring-max-endpoints-per-subset', 'two of five addresses are mirrored'],
      ['horizontal-pod-autoscaler-sync-period', 'numbers of pods are looked at again and again'],
      [
        'allocate-node-cidrs, cluster-cidr, service-cluster-ip-range, node-cidr-mask-size-ipv4, node-cidr-mask-size-ipv6',
        'a node gets a range of each family, not that of services',
      ],
      ['node-monitor-grace-period, node-startup-grace-period, node-monitor-period', 'a silent node is unknown soon'],
      ['root-ca-file', 'its authority is published in namespaces'],
      ['service-account-private-key-file', 'signs tokens in secrets'],
      [
        'cluster-signing-kube-apiserver-client-cert-file, cluster-signing-kube-apiserver-client-key-file, cluster-signing-kubelet-client-cert-file, cluster-signing-kubelet-client-key-file, cluster-signing-kubelet-serving-cert-file, cluster-signing-kubelet-serving-key-file, cluster-signing-legacy-unknown-cert-file, cluster-signing-legacy-unknown-key-file, cluster-signing-duration',
        'each signer has an authority',
      ],
      ['enable-hostpath-provisioner', 'a claim gets a directory of the host'],
      ['flex-volume-plugin-dir', 'drivers that are found there are reported'],
      [
        'pv-recycler-minimum-timeout-hostpath, pv-recycler-timeout-increment-hostpath, pv-recycler-pod-template-filepath-hostpath',
        'the pod that empties a directory of the host',
      ],
      [
        'pv-recycler-minimum-timeout-nfs, pv-recycler-increment-timeout-nfs, pv-recycler-pod-template-filepath-nfs',
        'the pod that empties a volume of NFS',
      ],
      ['terminated-pod-gc-threshold', 'all but one of the pods that ended go'],
      ['controllers', 'the first word of a controller counts'],
      ['leader-elect-renew-deadline', 'a manager that cannot renew ends'],
    ],
    'controller managers with doors of their own': [
      ['bind-address, secure-port', 'listens there, and nowhere else'],
      ['tls-cert-file, tls-private-key-file, tls-sni-cert-key', 'certificates, by name'],
      ['tls-min-version, tls-cipher-suites', 'older clients by one suite, none before 1.2, or none before 1.3'],
      ['cert-dir', 'has the pair that was made'],
      ['http2-max-streams-per-connection', 'is what clients see'],
      ['disable-http2-serving', 'HTTP/1.1 alone'],
      [
        'client-ca-file, requestheader-client-ca-file, requestheader-allowed-names, requestheader-username-headers, requestheader-group-headers, requestheader-extra-headers-prefix, requestheader-uid-headers',
        'who users are, by certificate or as a front proxy says, and what the server is asked about them',
      ],
      ['authorization-always-allow-paths', 'is open to strangers, and what is so otherwise is not'],
      [
        'authentication-kubeconfig, authorization-kubeconfig, authentication-token-webhook-cache-ttl, authorization-webhook-cache-authorized-ttl, authorization-webhook-cache-unauthorized-ttl',
        'the server is asked who has a token and what they may do, each time anew',
      ],
      ['authentication-skip-lookup', 'authorities that the cluster tells of are not asked for'],
      ['authentication-tolerate-lookup-failure', 'goes on without them, and does not otherwise'],
      ['master', 'wins over the address in the file'],
      ['controller-start-interval', 'the second controller waits for its turn'],
      ['logging-format, v', 'a line for each request, in JSON'],
      [
        'log-text-split-stream, log-text-info-buffer-size, log-flush-frequency, vmodule',
        'lines of one part, on a stream of their own, in time',
      ],
      ['disabled-metrics, allow-metric-labels, allow-metric-labels-manifest, show-hidden-metrics-for-version', 'what metrics tell'],
      ['profiling, contention-profiling', 'pages about the process'],
      ['emulated-version, feature-gates', 'what an earlier version has, and what is switched off'],
      ['permit-address-sharing', 'begins on the port that it has just left'],
      ['permit-port-sharing', 'another manager on the same port, where Node can'],
      ['cloud-provider, cloud-config, external-cloud-volume-plugin', 'clouds that are not built in are refused'],
      ['version', 'is printed'],
      ['help', 'every option is listed'],
    ],
    'controller managers with rates, periods and limits of their own': [
      [
        'node-eviction-rate, secondary-node-eviction-rate, large-cluster-size-threshold, unhealthy-zone-threshold',
        'where many nodes are silent their pods are evicted as fast as configured, and not at all in a small cluster',
      ],
      ['node-cidr-mask-size, cidr-allocator-type', 'each node has a range of that size of its own'],
      ['horizontal-pod-autoscaler-tolerance', 'a twentieth more than wanted is too much'],
      ['horizontal-pod-autoscaler-cpu-initialization-period', 'what a young pod uses counts'],
      ['horizontal-pod-autoscaler-initial-readiness-delay', 'what a pod uses counts that is no longer ready'],
      ['horizontal-pod-autoscaler-downscale-stabilization', 'fewer pods at once'],
      ['min-resync-period', 'what has not changed is looked at again and again'],
      ['kube-api-qps, kube-api-burst, enable-garbage-collector', 'four requests of ten, and no orphan goes'],
      ['resource-quota-sync-period', 'what is wrongly said to be used is corrected'],
      ['legacy-service-account-token-clean-up-period', 'a token that nobody uses is marked'],
      ['enable-dynamic-provisioning, pvclaimbinder-sync-period', 'claims are counted soon, and nobody is asked for volumes'],
      ['attach-detach-reconcile-sync-period, disable-attach-detach-reconcile-sync', 'attachments are gone through soon, or never'],
      ['cluster-signing-cert-file, cluster-signing-key-file', 'one authority for all signers'],
      [
        'endpoint-updates-batch-period, endpointslice-updates-batch-period, mirroring-endpointslice-updates-batch-period',
        'changes come together for a while before anybody writes',
      ],
      ['disable-force-detach-on-timeout', 'a volume stays with a silent node that has not let it go, whatever the time'],
      ['namespace-sync-period', 'a namespace goes as soon as it is empty, whatever its pods were given'],
    ],
  },
};

/** Options with other tests of the bundles. */
export const shownElsewhere: Readonly<Record<ProbedProgram, Readonly<Record<string, string>>>> = {
  apiserver: {
    'etcd-servers': 'etcd',
    'etcd-servers-overrides': 'etcd',
    'etcd-cafile': 'etcd',
    'etcd-certfile': 'etcd',
    'etcd-keyfile': 'etcd',
    'etcd-healthcheck-timeout': 'etcd',
    'etcd-readycheck-timeout': 'etcd',
    'peer-ca-file': 'peers',
  },
  'controller-manager': { 'kube-api-content-type': 'managerEncoding' },
};

/** Options without an external probe, with reasons. The list only shrinks. */
export const unprobed: Readonly<Record<ProbedProgram, Readonly<Record<string, string>>>> = {
  apiserver: {},
  'controller-manager': {
    'cluster-name': 'needs a cloud; unit/controllers/cloud has one in memory',
    'configure-cloud-routes': 'needs a cloud; unit/controllers/cloud has one in memory',
    'route-reconciliation-period': 'needs a cloud; unit/controllers/cloud has one in memory',
    'concurrent-service-syncs': 'needs a cloud; unit/controllers/cloud has one in memory',
    'concurrent-validating-admission-policy-status-syncs': 'no webhook is asked about policies; unit/controllers/policystatus counts',
  },
};
