/**
 * Named Go types of text members, for messages about wrong types (`k8s.io/api`, `k8s.io/apimachinery`). A type without a package is in the version of its
 * member's owner.
 */
const textTypes: Readonly<Record<string, string>> = {
  'types.UID':
    'Preconditions.uid ObjectMeta.uid OwnerReference.uid ObjectReference.uid ConfigMapNodeConfigSource.uid ResourceClaimConsumerReference.uid ' +
    'BoundObjectReference.uid DeviceRequestAllocationResult.shareID PodCertificateRequestSpec.nodeUID PodCertificateRequestSpec.podUID ' +
    'PodCertificateRequestSpec.serviceAccountUID StatusDetails.uid UncountedTerminatedPods.failed UncountedTerminatedPods.succeeded',
  'v1.DeletionPropagation': 'DeleteOptions.propagationPolicy',
  'v1.LabelSelectorOperator': 'LabelSelectorRequirement.operator',
  'v1.FieldSelectorOperator': 'FieldSelectorRequirement.operator',
  'v1.CauseType': 'StatusCause.reason',
  'v1.ManagedFieldsOperationType': 'ManagedFieldsEntry.operation',
  'v1.StatusReason': 'Status.reason Validation.reason',
  'v1.ConditionStatus':
    'Condition.status PodCondition.status NodeCondition.status NamespaceCondition.status ReplicationControllerCondition.status ' +
    'PersistentVolumeClaimCondition.status ComponentCondition.status DeploymentCondition.status ReplicaSetCondition.status ' +
    'DaemonSetCondition.status StatefulSetCondition.status JobCondition.status HorizontalPodAutoscalerCondition.status ' +
    'CertificateSigningRequestCondition.status PodFailurePolicyOnPodConditionsPattern.status',
  ConditionStatus:
    'CustomResourceDefinitionCondition.status APIServiceCondition.status FlowSchemaCondition.status PriorityLevelConfigurationCondition.status ' +
    'StorageVersionCondition.status',

  // core
  'v1.Protocol':
    'ContainerPort.protocol ServicePort.protocol EndpointPort.protocol PortStatus.protocol NetworkPolicyPort.protocol IngressPortStatus.protocol',
  'v1.PreemptionPolicy': 'PodSpec.preemptionPolicy PriorityClass.preemptionPolicy',
  'v1.PersistentVolumeReclaimPolicy': 'PersistentVolumeSpec.persistentVolumeReclaimPolicy StorageClass.reclaimPolicy',
  'v1.ResourceName':
    'ContainerResizePolicy.resourceName ResourceMetricSource.name ResourceMetricStatus.name ContainerResourceMetricSource.name ' +
    'ContainerResourceMetricStatus.name ResourceStatus.name',
  'map[v1.ResourceName]':
    'BasicDevice.nodeAllocatableResourceMappings Device.nodeAllocatableResourceMappings NodeAllocatableResourceClaimStatus.resources',
  'map[v1.ResourceName]v1.ClaimResourceStatus': 'PersistentVolumeClaimStatus.allocatedResourceStatuses',
  'v1.PodConditionType': 'PodCondition.type PodReadinessGate.conditionType PodFailurePolicyOnPodConditionsPattern.type',
  AzureDataDiskCachingMode: 'AzureDiskVolumeSource.cachingMode',
  AzureDataDiskKind: 'AzureDiskVolumeSource.kind',
  AppArmorProfileType: 'AppArmorProfile.type',
  Capability: 'Capabilities.add Capabilities.drop',
  ComponentConditionType: 'ComponentCondition.type',
  ContainerRestartPolicy: 'Container.restartPolicy EphemeralContainer.restartPolicy',
  ContainerRestartRuleAction: 'ContainerRestartRule.action',
  ContainerRestartRuleOnExitCodesOperator: 'ContainerRestartRuleOnExitCodes.operator',
  DNSPolicy: 'PodSpec.dnsPolicy',
  FinalizerName: 'NamespaceSpec.finalizers',
  HostPathType: 'HostPathVolumeSource.type',
  IPFamily: 'ServiceSpec.ipFamilies',
  IPFamilyPolicy: 'ServiceSpec.ipFamilyPolicy',
  LimitType: 'LimitRangeItem.type',
  LoadBalancerIPMode: 'LoadBalancerIngress.ipMode',
  MountPropagationMode: 'VolumeMount.mountPropagation VolumeMountStatus.mountPropagation',
  NamespaceConditionType: 'NamespaceCondition.type',
  NamespacePhase: 'NamespaceStatus.phase',
  NodeAddressType: 'NodeAddress.type',
  NodeConditionType: 'NodeCondition.type',
  NodeInclusionPolicy: 'TopologySpreadConstraint.nodeAffinityPolicy TopologySpreadConstraint.nodeTaintsPolicy',
  NodePhase: 'NodeStatus.phase',
  NodeSelectorOperator: 'NodeSelectorRequirement.operator',
  OSName: 'PodOS.name',
  PersistentVolumeAccessMode:
    'PersistentVolumeClaimSpec.accessModes PersistentVolumeClaimStatus.accessModes PersistentVolumeSpec.accessModes',
  PersistentVolumeClaimConditionType: 'PersistentVolumeClaimCondition.type',
  PersistentVolumeClaimModifyVolumeStatus: 'ModifyVolumeStatus.status',
  PersistentVolumeClaimPhase: 'PersistentVolumeClaimStatus.phase',
  PersistentVolumeMode: 'PersistentVolumeClaimSpec.volumeMode PersistentVolumeSpec.volumeMode',
  PersistentVolumePhase: 'PersistentVolumeStatus.phase',
  PodFSGroupChangePolicy: 'PodSecurityContext.fsGroupChangePolicy',
  PodPhase: 'PodStatus.phase',
  PodQOSClass: 'PodStatus.qosClass',
  PodResizeStatus: 'PodStatus.resize',
  PodSELinuxChangePolicy: 'PodSecurityContext.seLinuxChangePolicy',
  ProcMountType: 'SecurityContext.procMount',
  PullPolicy: 'Container.imagePullPolicy EphemeralContainer.imagePullPolicy ImageVolumeSource.pullPolicy',
  RecursiveReadOnlyMode: 'VolumeMount.recursiveReadOnly VolumeMountStatus.recursiveReadOnly',
  ReplicationControllerConditionType: 'ReplicationControllerCondition.type',
  ResourceHealthStatus: 'ResourceHealth.health',
  ResourceID: 'ResourceHealth.resourceID',
  ResourceQuotaScope: 'ResourceQuotaSpec.scopes ScopedResourceSelectorRequirement.scopeName',
  ResourceResizeRestartPolicy: 'ContainerResizePolicy.restartPolicy',
  RestartPolicy: 'PodSpec.restartPolicy',
  ScopeSelectorOperator: 'ScopedResourceSelectorRequirement.operator',
  SeccompProfileType: 'SeccompProfile.type',
  SecretType: 'Secret.type',
  ServiceAffinity: 'ServiceSpec.sessionAffinity',
  ServiceExternalTrafficPolicy: 'ServiceSpec.externalTrafficPolicy',
  ServiceInternalTrafficPolicy: 'ServiceSpec.internalTrafficPolicy',
  ServiceType: 'ServiceSpec.type',
  Signal: 'Lifecycle.stopSignal ContainerStatus.stopSignal',
  StorageMedium: 'EmptyDirVolumeSource.medium',
  SupplementalGroupsPolicy: 'PodSecurityContext.supplementalGroupsPolicy',
  TaintEffect: 'Taint.effect Toleration.effect',
  TerminationMessagePolicy: 'Container.terminationMessagePolicy EphemeralContainer.terminationMessagePolicy',
  TolerationOperator: 'Toleration.operator',
  URIScheme: 'HTTPGetAction.scheme',
  UniqueVolumeName: 'NodeStatus.volumesInUse AttachedVolume.name',
  UnsatisfiableConstraintAction: 'TopologySpreadConstraint.whenUnsatisfiable',

  // apps, batch, autoscaling, policy
  DaemonSetConditionType: 'DaemonSetCondition.type',
  DaemonSetUpdateStrategyType: 'DaemonSetUpdateStrategy.type',
  DeploymentConditionType: 'DeploymentCondition.type',
  DeploymentStrategyType: 'DeploymentStrategy.type',
  PersistentVolumeClaimRetentionPolicyType:
    'StatefulSetPersistentVolumeClaimRetentionPolicy.whenDeleted StatefulSetPersistentVolumeClaimRetentionPolicy.whenScaled',
  PodManagementPolicyType: 'StatefulSetSpec.podManagementPolicy',
  ReplicaSetConditionType: 'ReplicaSetCondition.type',
  StatefulSetConditionType: 'StatefulSetCondition.type',
  StatefulSetUpdateStrategyType: 'StatefulSetUpdateStrategy.type',
  CompletionMode: 'JobSpec.completionMode',
  ConcurrencyPolicy: 'CronJobSpec.concurrencyPolicy',
  JobConditionType: 'JobCondition.type',
  PodFailurePolicyAction: 'PodFailurePolicyRule.action',
  PodFailurePolicyOnExitCodesOperator: 'PodFailurePolicyOnExitCodesRequirement.operator',
  PodReplacementPolicy: 'JobSpec.podReplacementPolicy',
  HorizontalPodAutoscalerConditionType: 'HorizontalPodAutoscalerCondition.type',
  HPAScalingPolicyType: 'HPAScalingPolicy.type',
  MetricSourceType: 'MetricSpec.type MetricStatus.type',
  MetricTargetType: 'MetricTarget.type',
  ScalingPolicySelect: 'HPAScalingRules.selectPolicy',
  UnhealthyPodEvictionPolicyType: 'PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy',

  // networking, discovery, storage, certificates, flow control
  AddressType: 'EndpointSlice.addressType',
  PathType: 'HTTPIngressPath.pathType',
  PolicyType: 'NetworkPolicySpec.policyTypes',
  FSGroupPolicy: 'CSIDriverSpec.fsGroupPolicy',
  VolumeBindingMode: 'StorageClass.volumeBindingMode',
  VolumeLifecycleMode: 'CSIDriverSpec.volumeLifecycleModes',
  KeyUsage: 'CertificateSigningRequestSpec.usages',
  RequestConditionType: 'CertificateSigningRequestCondition.type',
  FlowDistinguisherMethodType: 'FlowDistinguisherMethod.type',
  FlowSchemaConditionType: 'FlowSchemaCondition.type',
  SubjectKind: 'flowcontrol.Subject.kind',
  LimitResponseType: 'LimitResponse.type',
  PriorityLevelConfigurationConditionType: 'PriorityLevelConfigurationCondition.type',
  PriorityLevelEnablement: 'PriorityLevelConfigurationSpec.type',
  'v1.CoordinatedLeaseStrategy': 'LeaseSpec.strategy LeaseCandidateSpec.strategy',

  // admission, extensions, devices
  FailurePolicyType:
    'ValidatingWebhook.failurePolicy MutatingWebhook.failurePolicy ValidatingAdmissionPolicySpec.failurePolicy MutatingAdmissionPolicySpec.failurePolicy',
  MatchPolicyType: 'ValidatingWebhook.matchPolicy MutatingWebhook.matchPolicy MatchResources.matchPolicy',
  OperationType: 'RuleWithOperations.operations NamedRuleWithOperations.operations',
  ParameterNotFoundActionType: 'ParamRef.parameterNotFoundAction',
  PatchType: 'Mutation.patchType',
  ReinvocationPolicyType: 'MutatingWebhook.reinvocationPolicy MutatingAdmissionPolicySpec.reinvocationPolicy',
  ScopeType: 'RuleWithOperations.scope NamedRuleWithOperations.scope',
  SideEffectClass: 'ValidatingWebhook.sideEffects MutatingWebhook.sideEffects',
  ValidationAction: 'ValidatingAdmissionPolicyBindingSpec.validationActions',
  APIServiceConditionType: 'APIServiceCondition.type',
  ConversionStrategyType: 'CustomResourceConversion.strategy',
  CustomResourceDefinitionConditionType: 'CustomResourceDefinitionCondition.type',
  FieldValueErrorReason: 'ValidationRule.reason',
  ResourceScope: 'CustomResourceDefinitionSpec.scope',
  JSONSchemaURL: 'JSONSchemaProps.$schema',
  StorageVersionConditionType: 'StorageVersionCondition.type',
  DisruptionMode: 'PodGroupSpec.disruptionMode PodGroupTemplate.disruptionMode',
  AllocationConfigSource: 'DeviceAllocationConfiguration.source',
  DeviceAllocationMode: 'ExactDeviceRequest.allocationMode DeviceSubRequest.allocationMode DeviceRequest.allocationMode',
  DeviceTaintEffect: 'DeviceTaint.effect DeviceToleration.effect',
  DeviceTolerationOperator: 'DeviceToleration.operator',
  QualifiedName: 'NodeAllocatableResourceMapping.capacityKey',
  'map[QualifiedName]':
    'BasicDevice.attributes BasicDevice.capacity Device.attributes Device.capacity CapacityRequirements.requests ' +
    'DeviceRequestAllocationResult.consumedCapacity',
  FullyQualifiedName: 'DeviceConstraint.matchAttribute DeviceConstraint.distinctAttribute',
};

const byMember = new Map(
  Object.entries(textTypes).flatMap(([type, members]) => members.split(' ').map((member) => [member, type] as const)),
);

const mapType = /^map\[(.+)\](.*)$/;

/** Undefined for plain texts. `owner` is a short type name: `core.v1.PodSpec`. */
export function textTypeOf(owner: string, member: string): TextType | undefined {
  const [group = '', version = '', word = ''] = owner.split('.').slice(-3);
  const type = byMember.get(`${group}.${word}.${member}`) ?? byMember.get(`${word}.${member}`);
  if (type === undefined) return undefined;
  const named = (name: string): string => (name === '' || name.includes('.') ? name : `${version}.${name}`);
  const [, key, value = ''] = mapType.exec(type) ?? [];
  return key === undefined ? { text: named(type), key: null } : { text: named(value), key: named(key) };
}

/** The shape decides about an empty text. */
export interface TextType {
  readonly text: string;
  readonly key: string | null;
}
