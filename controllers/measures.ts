import { exponentialBuckets } from 'prom-client';

/** Metrics of controllers, besides queues, under the reference's names. */

type Kind = 'counter' | 'gauge' | 'histogram';

interface Measure<K extends Kind, L extends string> {
  readonly kind: K;
  readonly help: string;
  readonly labels: readonly L[];
}
interface Distribution<L extends string> extends Measure<'histogram', L> {
  /** Upper bounds. */
  readonly buckets: readonly number[];
}

const counter = <L extends string>(help: string, ...labels: readonly L[]): Measure<'counter', L> => ({ kind: 'counter', help, labels });
const gauge = <L extends string>(help: string, ...labels: readonly L[]): Measure<'gauge', L> => ({ kind: 'gauge', help, labels });
const histogram = <L extends string>(buckets: readonly number[], help: string, ...labels: readonly L[]): Distribution<L> => ({
  kind: 'histogram',
  help,
  labels,
  buckets,
});

const sync = exponentialBuckets(0.001, 2, 15);
const scaling = exponentialBuckets(0.001, 2, 16);
const eviction = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240];
const perSync = exponentialBuckets(2, 2, 15);

export const measures = {
  node_collector_zone_size: gauge('Nodes of a zone.', 'zone'),
  node_collector_zone_health: gauge('Percentage of the nodes of a zone that are ready.', 'zone'),
  node_collector_unhealthy_nodes_in_zone: gauge('Nodes of a zone that are not ready.', 'zone'),
  node_collector_evictions_total: counter('Nodes whose pods were driven off.', 'zone'),
  node_collector_update_node_health_duration_seconds: histogram(exponentialBuckets(0.001, 4, 8), 'One look at the health of a node.'),
  node_collector_update_all_nodes_health_duration_seconds: histogram(
    exponentialBuckets(0.01, 4, 8),
    'One look at the health of all nodes.',
  ),
  taint_eviction_controller_pod_deletions_total: counter('Pods deleted for taints of their nodes.'),
  taint_eviction_controller_pod_deletion_duration_seconds: histogram(
    eviction,
    'From the time at which a pod should be deleted for a taint to its deletion.',
  ),
  device_taint_eviction_controller_pod_deletions_total: counter('Pods deleted for taints of devices.'),
  device_taint_eviction_controller_pod_deletion_duration_seconds: histogram(
    eviction,
    'From the time at which a pod should be deleted for a taint of a device to its deletion.',
  ),
  pv_collector_bound_pv_count: gauge('Volumes that are bound, by class.', 'storage_class'),
  pv_collector_unbound_pv_count: gauge('Volumes that are not bound, by class.', 'storage_class'),
  pv_collector_bound_pvc_count: gauge('Claims that are bound.', 'namespace', 'storage_class', 'volume_attributes_class'),
  pv_collector_unbound_pvc_count: gauge('Claims that are not bound.', 'namespace', 'storage_class', 'volume_attributes_class'),
  pv_collector_total_pv_count: gauge('Volumes, by plugin and mode.', 'plugin_name', 'volume_mode'),
  attach_detach_controller_attachdetach_controller_forced_detaches: counter(
    'Volumes detached although their node did not say that it has let them go.',
    'reason',
  ),
  attachdetach_controller_total_volumes: gauge('Volumes that should be attached, and that are.', 'plugin_name', 'state'),
  ephemeral_volume_controller_create_total: counter('Claims for volumes of pods that were to be created.'),
  ephemeral_volume_controller_create_failures_total: counter('Of those, claims that could not be.'),
  resourceclaim_controller_creates_total: counter('Resource claims made for pods.', 'status', 'admin_access'),
  horizontal_pod_autoscaler_controller_reconciliations_total: counter(
    'Looks at an autoscaler, by what was done and why it failed.',
    'action',
    'error',
  ),
  horizontal_pod_autoscaler_controller_reconciliation_duration_seconds: histogram(scaling, 'One look at an autoscaler.', 'action', 'error'),
  horizontal_pod_autoscaler_controller_metric_computation_total: counter(
    'Metrics computed for autoscalers.',
    'action',
    'error',
    'metric_type',
  ),
  horizontal_pod_autoscaler_controller_metric_computation_duration_seconds: histogram(
    scaling,
    'The computation of one metric.',
    'action',
    'error',
    'metric_type',
  ),
  horizontal_pod_autoscaler_controller_num_horizontal_pod_autoscalers: gauge('Autoscalers that are looked after.'),
  node_ipam_controller_cidrset_cidrs_allocations_total: counter('Ranges given to nodes.', 'clusterCIDR'),
  node_ipam_controller_cidrset_cidrs_releases_total: counter('Ranges given back.', 'clusterCIDR'),
  node_ipam_controller_cidrset_usage_cidrs: gauge('Share of the ranges that are given to nodes.', 'clusterCIDR'),
  node_ipam_controller_cirdset_max_cidrs: gauge('Ranges that there are.', 'clusterCIDR'),
  selinux_warning_controller_selinux_volume_conflict: gauge(
    'Pairs of pods that share a volume with different labels.',
    'property',
    'pod1_namespace',
    'pod1_name',
    'pod1_value',
    'pod2_namespace',
    'pod2_name',
    'pod2_value',
  ),
  resourcepoolstatusrequest_controller_requests_processed_total: counter(
    'Requests for the state of pools that were answered.',
    'driver_name',
  ),
  resourcepoolstatusrequest_controller_request_processing_errors_total: counter(
    'Requests for the state of pools that could not be.',
    'driver_name',
  ),
  resourcepoolstatusrequest_controller_request_processing_duration_seconds: histogram(
    sync,
    'The answer to one request for the state of pools.',
    'driver_name',
  ),
  root_ca_cert_publisher_sync_total: counter("Looks at a namespace's map of authorities.", 'code'),
  root_ca_cert_publisher_sync_duration_seconds: histogram(sync, "One look at a namespace's map of authorities.", 'code'),
  cronjob_controller_job_creation_skew_duration_seconds: histogram(
    exponentialBuckets(1, 2, 10),
    'From the time at which a Job was due to its creation.',
  ),
  ttl_after_finished_controller_job_deletion_duration_seconds: histogram(
    exponentialBuckets(0.1, 2, 14),
    'From the time at which a finished Job may go to its deletion.',
  ),
  garbagecollector_controller_resources_sync_error_total: counter('Times that it could not be found out which types are served.'),
  pod_gc_collector_force_delete_pods_total: counter('Pods deleted at once, as nobody else would.', 'namespace', 'reason'),
  pod_gc_collector_force_delete_pod_errors_total: counter('Of those, pods that could not be.', 'namespace', 'reason'),
  endpoint_slice_controller_changes: counter('Slices written.', 'operation'),
  endpoint_slice_controller_syncs: counter('Looks at a Service.', 'result'),
  endpoint_slice_controller_num_endpoint_slices: gauge('Slices that there are.'),
  endpoint_slice_controller_endpoints_desired: gauge('Endpoints in slices.'),
  endpoint_slice_controller_endpoints_added_per_sync: histogram(perSync, 'Endpoints added by one look at a Service.'),
  endpoint_slice_controller_endpoints_removed_per_sync: histogram(perSync, 'Endpoints removed by one look at a Service.'),
  endpoint_slice_mirroring_controller_changes: counter('Mirrored slices written.', 'operation'),
  endpoint_slice_mirroring_controller_num_endpoint_slices: gauge('Mirrored slices that there are.'),
  endpoint_slice_mirroring_controller_endpoints_desired: gauge('Endpoints in mirrored slices.'),
  endpoint_slice_mirroring_controller_endpoints_added_per_sync: histogram(perSync, 'Endpoints added by one look at Endpoints.'),
  endpoint_slice_mirroring_controller_endpoints_removed_per_sync: histogram(perSync, 'Endpoints removed by one look at Endpoints.'),
  endpoint_slice_mirroring_controller_addresses_skipped_per_sync: histogram(
    perSync,
    'Addresses that one look at Endpoints left out, as invalid or too many.',
  ),
  endpoint_slice_mirroring_controller_endpoints_sync_duration: histogram(sync, 'Seconds of one look at Endpoints.'),
  job_controller_job_syncs_total: counter('Looks at a Job.', 'completion_mode', 'result', 'action'),
  job_controller_job_sync_duration_seconds: histogram(
    exponentialBuckets(0.004, 2, 15),
    'One look at a Job.',
    'completion_mode',
    'result',
    'action',
  ),
  job_controller_jobs_finished_total: counter('Jobs that ended.', 'completion_mode', 'result', 'reason'),
  job_controller_job_pods_finished_total: counter('Pods of Jobs that were counted.', 'completion_mode', 'result'),
  job_controller_job_finished_indexes_total: counter('Indexes of Jobs that ended.', 'status', 'backoffLimit'),
  job_controller_job_pods_creation_total: counter('Pods that were to be created for Jobs.', 'reason', 'status'),
  job_controller_pod_failures_handled_by_failure_policy_total: counter('Failed pods that a rule of their Job speaks of.', 'action'),
  job_controller_terminated_pods_tracking_finalizer_total: counter(
    'Pods that ended and are to be counted, and those of them that were freed.',
    'event',
  ),
  job_controller_jobs_by_external_controller_total: counter('Jobs that another controller runs.', 'controller_name'),
  service_controller_loadbalancer_sync_total: counter('Load balancers brought up to date.'),
  service_controller_nodesync_error_total: counter('Load balancers whose hosts could not be.'),
  clustertrustbundle_publisher_sync_total: counter('Looks at the bundle of authorities.', 'code'),
  clustertrustbundle_publisher_sync_duration_seconds: histogram(sync, 'One look at the bundle of authorities.', 'code'),
};

export type MeasureName = keyof typeof measures;
type NameOf<K extends Kind> = { [N in MeasureName]: (typeof measures)[N]['kind'] extends K ? N : never }[MeasureName];
export type LabelsOf<N extends MeasureName> = Readonly<Record<(typeof measures)[N]['labels'][number], string>>;

export interface Measures {
  count<N extends NameOf<'counter'>>(name: N, labels: LabelsOf<N>, by?: number): void;
  set<N extends NameOf<'gauge'>>(name: N, labels: LabelsOf<N>, value: number): void;
  /** Clears a gauge before its current values are set. */
  reset(name: NameOf<'gauge'>): void;
  observe<N extends NameOf<'histogram'>>(name: N, labels: LabelsOf<N>, seconds: number): void;
}
