import type { AccountName } from './accountNames.js';
import type { Controller } from './client/controller.js';
import type { Features } from '../program/features/chosen.js';
import type { ManagerGate } from '../program/features/gates.js';
import type { ManagerEnvironment } from './environment.js';
import { autoscalingController } from './autoscaling/autoscaler.js';
import { bootstrapSigner } from './bootstraptokens/bootstrapSigner.js';
import { bootstrapTokenCleaner } from './bootstraptokens/tokenCleaner.js';
import { approvingController } from './certificates/approvingController.js';
import { requestCleaner } from './certificates/requestCleaner.js';
import { signingController } from './certificates/signingController.js';
import { nodeFactsController } from './cloud/nodeFacts.js';
import { cloudNodeController } from './cloud/nodeStates.js';
import { routeController } from './cloud/routes.js';
import { serviceBalancerController } from './cloud/serviceBalancers.js';
import { podGroupProtectionController } from './podgroupprotection/podGroupProtection.js';
import { policyStatusController } from './policystatus/policyStatus.js';
import { poolStatusController } from './resourcepoolstatus/requestController.js';
import { selinuxWarner } from './selinuxwarning/warner.js';
import { storageVersionCollector } from './storageversions/garbage.js';
import { storageVersionMigrator } from './storageversions/migrator.js';
import { clusterRoleAggregation } from './clusterroleaggregation/aggregationController.js';
import { cronJobController } from './cronjob/cronJobController.js';
import { daemonSetController } from './daemonset/daemonSetController.js';
import { deploymentController } from './deployment/deploymentController.js';
import { deviceTaintEvictionController } from './devicetainteviction/deviceTaintEviction.js';
import { disruptionController } from './disruption/disruptionController.js';
import { endpointsController } from './endpoints/endpointsController.js';
import { endpointSliceController } from './endpointslice/endpointSliceController.js';
import { endpointSliceMirroringController } from './endpointslicemirroring/mirroringController.js';
import { GarbageCollector } from './garbagecollector/garbageCollector.js';
import { jobController } from './job/jobController.js';
import { TokenCleaner } from './legacytokencleaner/tokenCleaner.js';
import { namespaceController } from './namespace/namespaceController.js';
import { NodeLifecycle } from './nodelifecycle/nodeLifecycle.js';
import { nodeTtlController } from './nodettl/ttlController.js';
import { podCertificateRequestCleaner } from './podcertificates/requestCleaner.js';
import { PodCollector } from './podgc/podCollector.js';
import { nodeRangeController } from './nodeipam/nodeRanges.js';
import { resourceClaimController } from './resourceclaim/claimController.js';
import { serviceCidrController } from './servicecidr/serviceCidrController.js';
import { replicaSetController, replicationControllerController } from './replicaset/replicaSets.js';
import { quotaController } from './resourcequota/quotaController.js';
import { defaultAccountController } from './serviceaccount/defaultAccounts.js';
import { rootCaPublisher } from './serviceaccount/rootCaPublisher.js';
import { tokensController } from './serviceaccounttoken/tokensController.js';
import { statefulSetController } from './statefulset/statefulSetController.js';
import { taintEvictionController } from './tainteviction/taintEviction.js';
import { trustBundlePublisher } from './trustbundles/publisher.js';
import { ttlController } from './ttlafterfinished/ttlController.js';
import { attachDetachController } from './volumeattachment/attachDetach.js';
import { VolumeBinder } from './volumebinding/binder.js';
import { volumeExpander } from './volumeexpansion/expander.js';
import { attributesClassProtectionController } from './volumeprotection/attributesClassProtection.js';
import { claimProtectionController } from './volumeprotection/claimProtection.js';

import { ephemeralVolumeController } from './ephemeralvolume/ephemeralVolumes.js';
import { volumeProtectionController } from './volumeprotection/volumeProtection.js';

export interface ControllerEntry {
  /** The name in `--controllers`. */
  readonly name: string;
  /** An accepted older name. */
  readonly alias: string;
  /** The controller's service account, and the last part of its user agent. */
  readonly account: AccountName;
  readonly component?: string;
  /** The controller has no role of its own, and writes as the manager. */
  readonly actsAsManager?: boolean;
  /** Runs only where `--controllers` names it. */
  readonly offByDefault?: boolean;
  /** The feature of the controller, which runs where API servers have that feature's types, unless the gate is off. */
  readonly feature?: ManagerGate;
  /** Manages a cloud: with `--cloud-provider=external` the cloud's own manager does. */
  readonly ofCloud?: boolean;
  /** Multiples of the options' rates, for controllers with many small requests, as in the reference. */
  readonly rateMultiples?: { readonly qps?: number; readonly burst?: number };
  /** Null where the options leave it nothing to do. */
  readonly make: (environment: ManagerEnvironment) => Controller | null;
}

/** Part of clouds' controller managers, not of kube-controller-manager. */
export const cloudNodes = 'cloud-node-controller';

export const controllerCatalogue: readonly ControllerEntry[] = [
  {
    name: 'serviceaccount-token-controller',
    alias: 'serviceaccount-token',
    account: 'tokens-controller',
    actsAsManager: true,
    make: tokensController,
  },
  { name: 'serviceaccount-controller', alias: 'serviceaccount', account: 'service-account-controller', make: defaultAccountController },
  {
    name: 'root-ca-certificate-publisher-controller',
    alias: 'root-ca-cert-publisher',
    account: 'root-ca-cert-publisher',
    make: rootCaPublisher,
  },
  {
    name: 'namespace-controller',
    alias: 'namespace',
    account: 'namespace-controller',
    rateMultiples: { qps: 20, burst: 100 },
    make: namespaceController,
  },
  {
    name: 'garbage-collector-controller',
    alias: 'garbagecollector',
    account: 'generic-garbage-collector',
    rateMultiples: { qps: 2 },
    component: 'garbage-collector-controller',
    make: (environment) => (environment.options['enable-garbage-collector'] ? new GarbageCollector(environment) : null),
  },
  { name: 'replicaset-controller', alias: 'replicaset', account: 'replicaset-controller', make: replicaSetController },
  {
    name: 'replicationcontroller-controller',
    alias: 'replicationcontroller',
    account: 'replication-controller',
    make: replicationControllerController,
  },
  { name: 'deployment-controller', alias: 'deployment', account: 'deployment-controller', make: deploymentController },
  { name: 'job-controller', alias: 'job', account: 'job-controller', make: jobController },
  { name: 'cronjob-controller', alias: 'cronjob', account: 'cronjob-controller', make: cronJobController },
  {
    name: 'pod-garbage-collector-controller',
    alias: 'podgc',
    account: 'pod-garbage-collector',
    make: (environment) => new PodCollector(environment),
  },
  { name: 'resourcequota-controller', alias: 'resourcequota', account: 'resourcequota-controller', make: quotaController },
  {
    name: 'legacy-serviceaccount-token-cleaner-controller',
    alias: 'legacy-service-account-token-cleaner',
    account: 'legacy-service-account-token-cleaner',
    make: (environment) => new TokenCleaner(environment),
  },
  { name: 'ttl-after-finished-controller', alias: 'ttl-after-finished', account: 'ttl-after-finished-controller', make: ttlController },
  {
    name: 'clusterrole-aggregation-controller',
    alias: 'clusterrole-aggregation',
    account: 'clusterrole-aggregation-controller',
    make: clusterRoleAggregation,
  },
  {
    name: 'endpointslice-controller',
    alias: 'endpointslice',
    account: 'endpointslice-controller',
    component: 'endpoint-slice-controller',
    make: endpointSliceController,
  },
  { name: 'endpoints-controller', alias: 'endpoint', account: 'endpoint-controller', make: endpointsController },
  {
    name: 'disruption-controller',
    alias: 'disruption',
    account: 'disruption-controller',
    component: 'controllermanager',
    make: disruptionController,
  },
  { name: 'statefulset-controller', alias: 'statefulset', account: 'statefulset-controller', make: statefulSetController },
  {
    name: 'daemonset-controller',
    alias: 'daemonset',
    account: 'daemon-set-controller',
    component: 'daemonset-controller',
    make: daemonSetController,
  },
  {
    name: 'endpointslice-mirroring-controller',
    alias: 'endpointslicemirroring',
    account: 'endpointslicemirroring-controller',
    component: 'endpoint-slice-mirroring-controller',
    make: endpointSliceMirroringController,
  },
  {
    name: 'node-lifecycle-controller',
    alias: 'nodelifecycle',
    account: 'node-controller',
    make: (environment) => new NodeLifecycle(environment),
  },
  {
    name: 'persistentvolumeclaim-protection-controller',
    alias: 'pvc-protection',
    account: 'pvc-protection-controller',
    make: claimProtectionController,
  },
  {
    name: 'certificatesigningrequest-signing-controller',
    alias: 'csrsigning',
    account: 'certificate-controller',
    make: signingController,
  },
  {
    name: 'certificatesigningrequest-approving-controller',
    alias: 'csrapproving',
    account: 'certificate-controller',
    make: approvingController,
  },
  {
    name: 'certificatesigningrequest-cleaner-controller',
    alias: 'csrcleaner',
    account: 'certificate-controller',
    make: requestCleaner,
  },
  { name: 'bootstrap-signer-controller', alias: 'bootstrapsigner', account: 'bootstrap-signer', offByDefault: true, make: bootstrapSigner },
  { name: 'token-cleaner-controller', alias: 'tokencleaner', account: 'token-cleaner', offByDefault: true, make: bootstrapTokenCleaner },
  {
    name: 'kube-apiserver-serving-clustertrustbundle-publisher-controller',
    alias: 'kube-apiserver-serving-clustertrustbundle-publisher-controller',
    account: 'kube-apiserver-serving-clustertrustbundle-publisher',
    feature: 'ClusterTrustBundle',
    make: trustBundlePublisher,
  },
  {
    name: 'podcertificaterequest-cleaner-controller',
    alias: 'podcertificaterequest-cleaner-controller',
    account: 'podcertificaterequestcleaner',
    feature: 'PodCertificateRequest',
    make: podCertificateRequestCleaner,
  },
  {
    name: 'taint-eviction-controller',
    alias: 'taint-eviction-controller',
    account: 'node-controller',
    component: 'taint-eviction-controller',
    make: taintEvictionController,
  },
  {
    name: 'device-taint-eviction-controller',
    alias: 'device-taint-eviction-controller',
    account: 'device-taint-eviction-controller',
    feature: 'DRADeviceTaints',
    make: deviceTaintEvictionController,
  },
  { name: 'ttl-controller', alias: 'ttl', account: 'ttl-controller', make: nodeTtlController },
  {
    name: 'persistentvolume-binder-controller',
    alias: 'persistentvolume-binder',
    account: 'persistent-volume-binder',
    component: 'persistentvolume-controller',
    make: (environment) => new VolumeBinder(environment),
  },
  {
    name: 'persistentvolume-attach-detach-controller',
    alias: 'attachdetach',
    account: 'attachdetach-controller',
    component: 'attachdetach-controller',
    make: attachDetachController,
  },
  {
    name: 'persistentvolume-expander-controller',
    alias: 'persistentvolume-expander',
    account: 'expand-controller',
    component: 'volume_expand',
    make: volumeExpander,
  },
  { name: 'node-ipam-controller', alias: 'nodeipam', account: 'node-controller', component: 'cidrAllocator', make: nodeRangeController },
  {
    name: 'service-cidr-controller',
    alias: 'service-cidr-controller',
    account: 'service-cidrs-controller',
    component: 'service-cidr-controller',
    make: serviceCidrController,
  },
  {
    name: 'resourceclaim-controller',
    alias: 'resource-claim-controller',
    account: 'resource-claim-controller',
    component: 'resource_claim',
    make: resourceClaimController,
  },
  {
    name: 'horizontal-pod-autoscaler-controller',
    alias: 'horizontalpodautoscaling',
    account: 'horizontal-pod-autoscaler',
    make: autoscalingController,
  },
  {
    name: 'persistentvolume-protection-controller',
    alias: 'pv-protection',
    account: 'pv-protection-controller',
    make: volumeProtectionController,
  },
  {
    name: 'volumeattributesclass-protection-controller',
    alias: 'volumeattributesclass-protection-controller',
    account: 'volumeattributesclass-protection-controller',
    make: attributesClassProtectionController,
  },
  {
    name: 'ephemeral-volume-controller',
    alias: 'ephemeral-volume',
    account: 'ephemeral-volume-controller',
    component: 'ephemeral_volume',
    make: ephemeralVolumeController,
  },
  {
    name: 'podgroup-protection-controller',
    alias: 'podgroup-protection-controller',
    account: 'podgroup-protection-controller',
    feature: 'GenericWorkload',
    make: podGroupProtectionController,
  },
  {
    name: 'resourcepoolstatusrequest-controller',
    alias: 'resourcepoolstatusrequest-controller',
    account: 'resourcepoolstatusrequest-controller',
    make: poolStatusController,
  },
  {
    name: 'selinux-warning-controller',
    alias: 'selinux-warning-controller',
    account: 'selinux-warning-controller',
    component: 'selinux_warning',
    offByDefault: true,
    make: selinuxWarner,
  },
  {
    name: 'storage-version-migrator-controller',
    alias: 'storage-version-migrator-controller',
    account: 'storage-version-migrator-controller',
    feature: 'StorageVersionMigrator',
    make: storageVersionMigrator,
  },
  {
    name: 'storageversion-garbage-collector-controller',
    alias: 'storage-version-gc',
    account: 'storage-version-garbage-collector',
    feature: 'StorageVersionAPI',
    make: storageVersionCollector,
  },
  {
    name: 'validatingadmissionpolicy-status-controller',
    alias: 'validatingadmissionpolicy-status-controller',
    account: 'validatingadmissionpolicy-status-controller',
    make: policyStatusController,
  },
  { name: 'service-lb-controller', alias: 'service', account: 'service-controller', ofCloud: true, make: serviceBalancerController },
  {
    name: 'node-route-controller',
    alias: 'route',
    account: 'route-controller',
    component: 'route_controller',
    ofCloud: true,
    make: routeController,
  },
  {
    name: cloudNodes,
    alias: 'cloud-node',
    account: 'node-controller',
    component: 'cloud-node-controller',
    ofCloud: true,
    make: nodeFactsController,
  },
  {
    name: 'cloud-node-lifecycle-controller',
    alias: 'cloud-node-lifecycle',
    account: 'node-controller',
    ofCloud: true,
    make: cloudNodeController,
  },
];

/** Returns whether `--controllers` selects a controller: the first item that names it decides, otherwise `*`, unless it is off by default. */
export function isEnabled(
  { name, alias, offByDefault = false }: Pick<ControllerEntry, 'name' | 'alias' | 'offByDefault'>,
  wanted: readonly string[],
): boolean {
  const decisive = wanted.find((item) => [name, alias].includes(item.replace(/^-/, '')));
  return decisive === undefined ? !offByDefault && wanted.includes('*') : !decisive.startsWith('-');
}

/** Returns whether the controller has work under these options. `explicit`: gates on the command line. */
export function isWanted(
  { feature, ofCloud = false }: Pick<ControllerEntry, 'feature' | 'ofCloud'>,
  {
    features,
    explicit,
    cloudProvider,
  }: { readonly features: Features; readonly explicit: ReadonlySet<string>; readonly cloudProvider: string | null },
): boolean {
  const switchedOff =
    feature !== undefined && !features.enabled(feature) && [feature, 'AllAlpha', 'AllBeta'].some((name) => explicit.has(name));
  return !switchedOff && !(ofCloud && cloudProvider === 'external');
}

export function unknownControllers(wanted: readonly string[]): readonly string[] {
  const known = new Set([...controllerCatalogue.flatMap(({ name, alias }) => [name, alias]), '*']);
  return wanted.filter((word) => !known.has(word.replace(/^-/, '')));
}
