/** What controllers count beside their queues, under the names of the reference. */

interface Measure {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  readonly buckets?: readonly number[];
}

/** `count` bounds, each `factor` times the one before. */
const growing = (first: number, { factor, count }: { readonly factor: number; readonly count: number }): readonly number[] =>
  Array.from({ length: count }, (_, index) => first * factor ** index);

export const measures = {
  node_collector_zone_size: { kind: 'gauge', help: 'Nodes of a zone.', labels: ['zone'] },
  node_collector_zone_health: { kind: 'gauge', help: 'Percentage of the nodes of a zone that are ready.', labels: ['zone'] },
  node_collector_unhealthy_nodes_in_zone: { kind: 'gauge', help: 'Nodes of a zone that are not ready.', labels: ['zone'] },
  node_collector_evictions_total: { kind: 'counter', help: 'Nodes whose pods were driven off.', labels: ['zone'] },
  node_collector_update_node_health_duration_seconds: {
    kind: 'histogram',
    help: 'One look at the health of a node.',
    labels: [],
    buckets: growing(0.001, { factor: 4, count: 8 }),
  },
  node_collector_update_all_nodes_health_duration_seconds: {
    kind: 'histogram',
    help: 'One look at the health of all nodes.',
    labels: [],
    buckets: growing(0.01, { factor: 4, count: 8 }),
  },
  taint_eviction_controller_pod_deletions_total: { kind: 'counter', help: 'Pods deleted for taints of their nodes.', labels: [] },
  taint_eviction_controller_pod_deletion_duration_seconds: {
    kind: 'histogram',
    help: 'From the time at which a pod should be deleted for a taint to its deletion.',
    labels: [],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240],
  },
  device_taint_eviction_controller_pod_deletions_total: { kind: 'counter', help: 'Pods deleted for taints of devices.', labels: [] },
  device_taint_eviction_controller_pod_deletion_duration_seconds: {
    kind: 'histogram',
    help: 'From the time at which a pod should be deleted for a taint of a device to its deletion.',
    labels: [],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240],
  },
  pv_collector_bound_pv_count: { kind: 'gauge', help: 'Volumes that are bound, by class.', labels: ['storage_class'] },
  pv_collector_unbound_pv_count: { kind: 'gauge', help: 'Volumes that are not bound, by class.', labels: ['storage_class'] },
  pv_collector_bound_pvc_count: {
    kind: 'gauge',
    help: 'Claims that are bound.',
    labels: ['namespace', 'storage_class', 'volume_attributes_class'],
  },
  pv_collector_unbound_pvc_count: {
    kind: 'gauge',
    help: 'Claims that are not bound.',
    labels: ['namespace', 'storage_class', 'volume_attributes_class'],
  },
  pv_collector_total_pv_count: { kind: 'gauge', help: 'Volumes, by plugin and mode.', labels: ['plugin_name', 'volume_mode'] },
  attach_detach_controller_attachdetach_controller_forced_detaches: {
    kind: 'counter',
    help: 'Volumes detached although their node did not say that it has let them go.',
    labels: ['reason'],
  },
  attachdetach_controller_total_volumes: {
    kind: 'gauge',
    help: 'Volumes that should be attached, and that are.',
    labels: ['plugin_name', 'state'],
  },
  ephemeral_volume_controller_create_total: { kind: 'counter', help: 'Claims for volumes of pods that were to be created.', labels: [] },
  ephemeral_volume_controller_create_failures_total: { kind: 'counter', help: 'Of those, claims that could not be.', labels: [] },
  resourceclaim_controller_creates_total: { kind: 'counter', help: 'Resource claims made for pods.', labels: ['status', 'admin_access'] },
  horizontal_pod_autoscaler_controller_reconciliations_total: {
    kind: 'counter',
    help: 'Looks at an autoscaler, by what was done and why it failed.',
    labels: ['action', 'error'],
  },
  horizontal_pod_autoscaler_controller_reconciliation_duration_seconds: {
    kind: 'histogram',
    help: 'One look at an autoscaler.',
    labels: ['action', 'error'],
    buckets: growing(0.001, { factor: 2, count: 16 }),
  },
  horizontal_pod_autoscaler_controller_metric_computation_total: {
    kind: 'counter',
    help: 'Metrics computed for autoscalers.',
    labels: ['action', 'error', 'metric_type'],
  },
  horizontal_pod_autoscaler_controller_metric_computation_duration_seconds: {
    kind: 'histogram',
    help: 'The computation of one metric.',
    labels: ['action', 'error', 'metric_type'],
    buckets: growing(0.001, { factor: 2, count: 16 }),
  },
  horizontal_pod_autoscaler_controller_num_horizontal_pod_autoscalers: {
    kind: 'gauge',
    help: 'Autoscalers that are looked after.',
    labels: [],
  },
  node_ipam_controller_cidrset_cidrs_allocations_total: { kind: 'counter', help: 'Ranges given to nodes.', labels: ['clusterCIDR'] },
  node_ipam_controller_cidrset_cidrs_releases_total: { kind: 'counter', help: 'Ranges given back.', labels: ['clusterCIDR'] },
  node_ipam_controller_cidrset_usage_cidrs: {
    kind: 'gauge',
    help: 'Share of the ranges that are given to nodes.',
    labels: ['clusterCIDR'],
  },
  node_ipam_controller_cirdset_max_cidrs: { kind: 'gauge', help: 'Ranges that there are.', labels: ['clusterCIDR'] },
  selinux_warning_controller_selinux_volume_conflict: {
    kind: 'gauge',
    help: 'Pairs of pods that share a volume with different labels.',
    labels: ['property', 'pod1_namespace', 'pod1_name', 'pod1_value', 'pod2_namespace', 'pod2_name', 'pod2_value'],
  },
  resourcepoolstatusrequest_controller_requests_processed_total: {
    kind: 'counter',
    help: 'Requests for the state of pools that were answered.',
    labels: ['driver_name'],
  },
  resourcepoolstatusrequest_controller_request_processing_errors_total: {
    kind: 'counter',
    help: 'Requests for the state of pools that could not be.',
    labels: ['driver_name'],
  },
  resourcepoolstatusrequest_controller_request_processing_duration_seconds: {
    kind: 'histogram',
    help: 'The answer to one request for the state of pools.',
    labels: ['driver_name'],
    buckets: growing(0.001, { factor: 2, count: 15 }),
  },
  root_ca_cert_publisher_sync_total: { kind: 'counter', help: "Looks at a namespace's map of authorities.", labels: ['code'] },
  root_ca_cert_publisher_sync_duration_seconds: {
    kind: 'histogram',
    help: "One look at a namespace's map of authorities.",
    labels: ['code'],
    buckets: growing(0.001, { factor: 2, count: 15 }),
  },
  cronjob_controller_job_creation_skew_duration_seconds: {
    kind: 'histogram',
    help: 'From the time at which a Job was due to its creation.',
    labels: [],
    buckets: growing(1, { factor: 2, count: 10 }),
  },
  ttl_after_finished_controller_job_deletion_duration_seconds: {
    kind: 'histogram',
    help: 'From the time at which a finished Job may go to its deletion.',
    labels: [],
    buckets: growing(0.1, { factor: 2, count: 14 }),
  },
  garbagecollector_controller_resources_sync_error_total: {
    kind: 'counter',
    help: 'Times that it could not be found out which types are served.',
    labels: [],
  },
  pod_gc_collector_force_delete_pods_total: {
    kind: 'counter',
    help: 'Pods deleted at once, as nobody else would.',
    labels: ['namespace', 'reason'],
  },
  pod_gc_collector_force_delete_pod_errors_total: {
    kind: 'counter',
    help: 'Of those, pods that could not be.',
    labels: ['namespace', 'reason'],
  },
  endpoint_slice_controller_changes: { kind: 'counter', help: 'Slices written.', labels: ['operation'] },
  endpoint_slice_controller_syncs: { kind: 'counter', help: 'Looks at a Service.', labels: ['result'] },
  endpoint_slice_controller_num_endpoint_slices: { kind: 'gauge', help: 'Slices that there are.', labels: [] },
  endpoint_slice_controller_endpoints_desired: { kind: 'gauge', help: 'Endpoints in slices.', labels: [] },
  endpoint_slice_controller_endpoints_added_per_sync: {
    kind: 'histogram',
    help: 'Endpoints added by one look at a Service.',
    labels: [],
    buckets: growing(2, { factor: 2, count: 15 }),
  },
  endpoint_slice_controller_endpoints_removed_per_sync: {
    kind: 'histogram',
    help: 'Endpoints removed by one look at a Service.',
    labels: [],
    buckets: growing(2, { factor: 2, count: 15 }),
  },
  endpoint_slice_mirroring_controller_changes: { kind: 'counter', help: 'Mirrored slices written.', labels: ['operation'] },
  endpoint_slice_mirroring_controller_num_endpoint_slices: { kind: 'gauge', help: 'Mirrored slices that there are.', labels: [] },
  endpoint_slice_mirroring_controller_endpoints_desired: { kind: 'gauge', help: 'Endpoints in mirrored slices.', labels: [] },
  endpoint_slice_mirroring_controller_endpoints_added_per_sync: {
    kind: 'histogram',
    help: 'Endpoints added by one look at Endpoints.',
    labels: [],
    buckets: growing(2, { factor: 2, count: 15 }),
  },
  endpoint_slice_mirroring_controller_endpoints_removed_per_sync: {
    kind: 'histogram',
    help: 'Endpoints removed by one look at Endpoints.',
    labels: [],
    buckets: growing(2, { factor: 2, count: 15 }),
  },
  endpoint_slice_mirroring_controller_addresses_skipped_per_sync: {
    kind: 'histogram',
    help: 'Addresses that one look at Endpoints left out, as invalid or too many.',
    labels: [],
    buckets: growing(2, { factor: 2, count: 15 }),
  },
  endpoint_slice_mirroring_controller_endpoints_sync_duration: {
    kind: 'histogram',
    help: 'Seconds of one look at Endpoints.',
    labels: [],
    buckets: growing(0.001, { factor: 2, count: 15 }),
  },
  job_controller_job_syncs_total: { kind: 'counter', help: 'Looks at a Job.', labels: ['completion_mode', 'result', 'action'] },
  job_controller_job_sync_duration_seconds: {
    kind: 'histogram',
    help: 'One look at a Job.',
    labels: ['completion_mode', 'result', 'action'],
    buckets: growing(0.004, { factor: 2, count: 15 }),
  },
  job_controller_jobs_finished_total: { kind: 'counter', help: 'Jobs that ended.', labels: ['completion_mode', 'result', 'reason'] },
  job_controller_job_pods_finished_total: {
    kind: 'counter',
    help: 'Pods of Jobs that were counted.',
    labels: ['completion_mode', 'result'],
  },
  job_controller_job_finished_indexes_total: { kind: 'counter', help: 'Indexes of Jobs that ended.', labels: ['status', 'backoffLimit'] },
  job_controller_job_pods_creation_total: { kind: 'counter', help: 'Pods that were to be created for Jobs.', labels: ['reason', 'status'] },
  job_controller_pod_failures_handled_by_failure_policy_total: {
    kind: 'counter',
    help: 'Failed pods that a rule of their Job speaks of.',
    labels: ['action'],
  },
  job_controller_terminated_pods_tracking_finalizer_total: {
    kind: 'counter',
    help: 'Pods that ended and are to be counted, and those of them that were freed.',
    labels: ['event'],
  },
  job_controller_jobs_by_external_controller_total: {
    kind: 'counter',
    help: 'Jobs that another controller runs.',
    labels: ['controller_name'],
  },
  service_controller_loadbalancer_sync_total: { kind: 'counter', help: 'Load balancers brought up to date.', labels: [] },
  service_controller_nodesync_error_total: { kind: 'counter', help: 'Load balancers whose hosts could not be.', labels: [] },
  clustertrustbundle_publisher_sync_total: { kind: 'counter', help: 'Looks at the bundle of authorities.', labels: ['code'] },
  clustertrustbundle_publisher_sync_duration_seconds: {
    kind: 'histogram',
    help: 'One look at the bundle of authorities.',
    labels: ['code'],
    buckets: growing(0.001, { factor: 2, count: 15 }),
  },
} as const satisfies Readonly<Record<string, Measure>>;

export type MeasureName = keyof typeof measures;
type NameOf<K extends Measure['kind']> = { [N in MeasureName]: (typeof measures)[N]['kind'] extends K ? N : never }[MeasureName];
export type LabelsOf<N extends MeasureName> = Readonly<Record<(typeof measures)[N]['labels'][number], string>>;

/** Where controllers count. */
export interface Measures {
  count<N extends NameOf<'counter'>>(name: N, labels: LabelsOf<N>, by?: number): void;
  set<N extends NameOf<'gauge'>>(name: N, labels: LabelsOf<N>, value: number): void;
  /** Forgets what a gauge said, before it is told anew of what is there now. */
  reset(name: NameOf<'gauge'>): void;
  observe<N extends NameOf<'histogram'>>(name: N, labels: LabelsOf<N>, seconds: number): void;
}
