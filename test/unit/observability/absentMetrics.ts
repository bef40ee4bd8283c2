/** Metrics of the reference that a young server of ours does not show, by what their names begin with, and why. A line that fits none any more is to go. */
export const absent: readonly (readonly [names: RegExp, why: string])[] = [
  [
    /^(?:etcd_(?!requests?_)|apiserver_init_events_total|apiserver_storage_(?:consistency|events|list)_)/,
    'of a store that is another program; ours is told of by raftplane_raft_*',
  ],
  [/^watch_cache_capacity/, 'the cache here has no capacity, which could grow and shrink'],
  [/^apiserver_watch_cache_read_wait_seconds$/, 'how long reads wait for the newest state is in the times of their requests'],
  [
    /^(?:rest_client_|grpc_client_|apiserver_selfrequest_total)/,
    'the server calls itself in the process, and has no client of that library',
  ],
  [
    /^workqueue_/,
    'of queues of controllers, which the controller manager has and shows; those of the server itself are none of that library',
  ],
  [/^aggregator_discovery_/, 'documents are put together when something changes, with no cache in between that could miss'],
  [
    /^apiextensions_openapi_/,
    'documents are made anew when somebody asks for them, for all definitions of a group at once: no single one is the cause',
  ],
  [
    /^apiextensions_apiserver_validation_ratcheting_/,
    'what an update leaves as it was is looked at where a finding is there, in the middle of validation: no comparison could be timed by itself',
  ],
  [
    /^apiserver_admission_step_admission_duration_seconds_summary$/,
    'quantiles over five hours, which a digest of every write would have to be kept for; the histogram of the same name tells them for any time',
  ],
  [
    /^apiserver_validation_/,
    'the rules of a kind are written once: there is no second set of declared ones whose findings could differ, fail or come twice',
  ],
  [/^apiserver_request_timestamp_/, 'what a write leaves as it is is found while ownership is worked out, which is not timed by itself'],
  [/^apiserver_stream_translator_/, 'WebSockets are handed on as they are, and none is turned into SPDY'],
];

/** Labels that ours have besides those of the reference, or instead of them, and why. */
export const otherLabels: Readonly<Record<string, string>> = {
  pod_security_evaluations_total: 'ocp_namespace is of one distribution',
  apiserver_request_total: 'which of the well-known programs of a cluster has asked (system_client) is not told',
};
