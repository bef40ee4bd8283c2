/**
 * Every controller of the reference, by name and by its older one. A command line that names one is right, whether or not this program has it:
 * tools that set clusters up pass `--controllers=*,bootstrapsigner,tokencleaner`.
 */
export const referenceControllers: readonly (readonly [name: string, alias: string])[] = [
  ['bootstrap-signer-controller', 'bootstrapsigner'], ['certificatesigningrequest-approving-controller', 'csrapproving'], ['certificatesigningrequest-cleaner-controller', 'csrcleaner'],
  ['certificatesigningrequest-signing-controller', 'csrsigning'], ['cloud-node-lifecycle-controller', 'cloud-node-lifecycle'], ['clusterrole-aggregation-controller', 'clusterrole-aggregation'],
  ['cronjob-controller', 'cronjob'], ['daemonset-controller', 'daemonset'], ['deployment-controller', 'deployment'], ['device-taint-eviction-controller', 'device-taint-eviction-controller'],
  ['disruption-controller', 'disruption'], ['endpoints-controller', 'endpoint'], ['endpointslice-controller', 'endpointslice'], ['endpointslice-mirroring-controller', 'endpointslicemirroring'],
  ['ephemeral-volume-controller', 'ephemeral-volume'], ['garbage-collector-controller', 'garbagecollector'], ['horizontal-pod-autoscaler-controller', 'horizontalpodautoscaling'], ['job-controller', 'job'],
  ['kube-apiserver-serving-clustertrustbundle-publisher-controller', 'kube-apiserver-serving-clustertrustbundle-publisher-controller'],
  ['legacy-serviceaccount-token-cleaner-controller', 'legacy-service-account-token-cleaner'], ['namespace-controller', 'namespace'], ['node-ipam-controller', 'nodeipam'], ['node-lifecycle-controller', 'nodelifecycle'],
  ['node-route-controller', 'route'], ['persistentvolume-attach-detach-controller', 'attachdetach'], ['persistentvolume-binder-controller', 'persistentvolume-binder'],
  ['persistentvolume-expander-controller', 'persistentvolume-expander'], ['persistentvolume-protection-controller', 'pv-protection'], ['persistentvolumeclaim-protection-controller', 'pvc-protection'],
  ['pod-garbage-collector-controller', 'podgc'], ['podcertificaterequest-cleaner-controller', 'podcertificaterequest-cleaner-controller'], ['podgroup-protection-controller', 'podgroup-protection-controller'],
  ['replicaset-controller', 'replicaset'],
  ['replicationcontroller-controller', 'replicationcontroller'], ['resourceclaim-controller', 'resource-claim-controller'], ['resourcepoolstatusrequest-controller', 'resourcepoolstatusrequest-controller'],
  ['resourcequota-controller', 'resourcequota'],
  ['root-ca-certificate-publisher-controller', 'root-ca-cert-publisher'], ['selinux-warning-controller', 'selinux-warning-controller'], ['service-cidr-controller', 'service-cidr-controller'],
  ['service-lb-controller', 'service'], ['serviceaccount-controller', 'serviceaccount'], ['serviceaccount-token-controller', 'serviceaccount-token'], ['statefulset-controller', 'statefulset'],
  ['storage-version-migrator-controller', 'storage-version-migrator-controller'], ['storageversion-garbage-collector-controller', 'storage-version-gc'], ['taint-eviction-controller', 'taint-eviction-controller'],
  ['token-cleaner-controller', 'tokencleaner'], ['ttl-after-finished-controller', 'ttl-after-finished'], ['ttl-controller', 'ttl'],
  ['validatingadmissionpolicy-status-controller', 'validatingadmissionpolicy-status-controller'], ['volumeattributesclass-protection-controller', 'volumeattributesclass-protection-controller'],
];
