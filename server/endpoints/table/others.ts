import type { ApiObject } from '../../api/object.js';
import { requestState } from '../../kinds/certificates.k8s.io/requests.js';
import { itemsOf, memberAt, membersOf, textAt } from '../../registry/members.js';
import { at, atOr, type Cell, booleanAt, condition, countAt, duration, NONE, numberAt, UNSET, type Cells } from './cell.js';

const subjects = (object: ApiObject, kind: string): string =>
  itemsOf(object['subjects'])
    .filter((subject) => textAt(subject, 'kind') === kind)
    .map((subject) => (kind === 'ServiceAccount' ? `${textAt(subject, 'namespace')}/${textAt(subject, 'name')}` : textAt(subject, 'name')))
    .join(', ');

const bindingCells: Cells = {
  Role: (object) => `${textAt(object, 'roleRef', 'kind')}/${textAt(object, 'roleRef', 'name')}`,
  Users: (object) => subjects(object, 'User'),
  Groups: (object) => subjects(object, 'Group'),
  ServiceAccounts: (object) => subjects(object, 'ServiceAccount'),
};

function ingressHosts(ingress: ApiObject): string {
  const hosts = itemsOf(memberAt(ingress, 'spec', 'rules'))
    .map((rule) => textAt(rule, 'host'))
    .filter((host) => host !== '');
  return hosts.length === 0 ? '*' : hosts.length > 3 ? `${hosts.slice(0, 3).join(',')} + ${hosts.length - 3} more...` : hosts.join(',');
}

/** The value itself, a number for example, or `<none>`. */
const valueAt =
  (...path: readonly string[]): Cell =>
  (object) =>
    memberAt(object, ...path) ?? NONE;

const apiServiceTarget = (object: ApiObject): string =>
  memberAt(object, 'spec', 'service') === undefined
    ? 'Local'
    : `${textAt(object, 'spec', 'service', 'namespace')}/${textAt(object, 'spec', 'service', 'name')}`;

function availability(object: ApiObject): string {
  const available = condition(object, 'Available');
  return available === undefined
    ? 'Unknown'
    : available['status'] === 'True'
      ? 'True'
      : `${textAt(available, 'status')} (${textAt(available, 'reason')})`;
}

function slicePorts(slice: ApiObject): string {
  const ports = itemsOf(slice['ports']).map(
    (port) => textAt(port, 'port') || (memberAt(port, 'name') === undefined ? '*' : textAt(port, 'name')),
  );
  return ports.length === 0 ? UNSET : ports.length > 3 ? `${ports.slice(0, 3).join(',')} + ${ports.length - 3} more...` : ports.join(',');
}

function sliceEndpoints(slice: ApiObject): string {
  const addresses = itemsOf(slice['endpoints']).flatMap((endpoint) => itemsOf(memberAt(endpoint, 'addresses')).map(String));
  return addresses.length === 0
    ? UNSET
    : addresses.length > 3
      ? `${addresses.slice(0, 3).join(',')} + ${addresses.length - 3} more...`
      : addresses.join(',');
}

const paramKind = (object: ApiObject): string =>
  memberAt(object, 'spec', 'paramKind') === undefined
    ? UNSET
    : `${textAt(object, 'spec', 'paramKind', 'apiVersion')}/${textAt(object, 'spec', 'paramKind', 'kind')}`;
const paramRef = (object: ApiObject): string => {
  const ref = membersOf(memberAt(object, 'spec', 'paramRef'));
  if (Object.keys(ref).length === 0) return UNSET;
  return ref['namespace'] === undefined ? textAt(ref, 'name') || '*' : `${textAt(ref, 'namespace')}/${textAt(ref, 'name') || '*'}`;
};

export const otherCells: Readonly<Record<string, Cells>> = {
  'mutatingadmissionpolicies.admissionregistration.k8s.io': { Mutations: countAt('spec', 'mutations'), ParamKind: paramKind },
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': { PolicyName: at('spec', 'policyName'), ParamRef: paramRef },
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': { Webhooks: countAt('webhooks') },
  'validatingadmissionpolicies.admissionregistration.k8s.io': { Validations: countAt('spec', 'validations'), ParamKind: paramKind },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': { PolicyName: at('spec', 'policyName'), ParamRef: paramRef },
  'validatingwebhookconfigurations.admissionregistration.k8s.io': { Webhooks: countAt('webhooks') },
  'apiservices.apiregistration.k8s.io': { Service: apiServiceTarget, Available: availability },
  'certificatesigningrequests.certificates.k8s.io': {
    SignerName: at('spec', 'signerName'),
    Requestor: (object) => textAt(object, 'spec', 'username'),
    Condition: requestState,
    RequestedDuration: (object) =>
      memberAt(object, 'spec', 'expirationSeconds') === undefined ? NONE : duration(Number(textAt(object, 'spec', 'expirationSeconds'))),
  },
  'horizontalpodautoscalers.autoscaling': {
    Reference: (object) => `${textAt(object, 'spec', 'scaleTargetRef', 'kind')}/${textAt(object, 'spec', 'scaleTargetRef', 'name')}`,
    MinPods: atOr(UNSET, 'spec', 'minReplicas'),
    MaxPods: numberAt('spec', 'maxReplicas'),
    Replicas: numberAt('status', 'currentReplicas'),
  },
  'endpointslices.discovery.k8s.io': { AddressType: at('addressType'), Ports: slicePorts, Endpoints: sliceEndpoints },
  'flowschemas.flowcontrol.apiserver.k8s.io': {
    PriorityLevel: at('spec', 'priorityLevelConfiguration', 'name'),
    MatchingPrecedence: numberAt('spec', 'matchingPrecedence'),
    DistinguisherMethod: at('spec', 'distinguisherMethod', 'type'),
    MissingPL: (object) => textAt(condition(object, 'Dangling'), 'status') || '?',
  },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': {
    Type: at('spec', 'type'),
    NominalConcurrencyShares: valueAt('spec', 'limited', 'nominalConcurrencyShares'),
    Queues: valueAt('spec', 'limited', 'limitResponse', 'queuing', 'queues'),
    HandSize: valueAt('spec', 'limited', 'limitResponse', 'queuing', 'handSize'),
    QueueLengthLimit: valueAt('spec', 'limited', 'limitResponse', 'queuing', 'queueLengthLimit'),
  },
  'ingressclasses.networking.k8s.io': {
    Controller: at('spec', 'controller'),
    Parameters: (object) =>
      memberAt(object, 'spec', 'parameters') === undefined
        ? NONE
        : `${textAt(object, 'spec', 'parameters', 'kind')}${textAt(object, 'spec', 'parameters', 'apiGroup') === '' ? '' : `.${textAt(object, 'spec', 'parameters', 'apiGroup')}`}/${textAt(object, 'spec', 'parameters', 'name')}`,
  },
  'ingresses.networking.k8s.io': {
    Class: at('spec', 'ingressClassName'),
    Hosts: ingressHosts,
    Address: (object) =>
      itemsOf(memberAt(object, 'status', 'loadBalancer', 'ingress'))
        .map((entry) => textAt(entry, 'ip') || textAt(entry, 'hostname'))
        .join(','),
    Ports: (object) => (itemsOf(memberAt(object, 'spec', 'tls')).length === 0 ? '80' : '80, 443'),
  },
  'ipaddresses.networking.k8s.io': {
    ParentRef: (object) =>
      ['group', 'resource', 'namespace', 'name']
        .map((member) => textAt(object, 'spec', 'parentRef', member))
        .filter((text, index) => text !== '' || index === 0)
        .filter((text) => text !== '')
        .join('/'),
  },
  'servicecidrs.networking.k8s.io': {
    CIDRs: (object) =>
      itemsOf(memberAt(object, 'spec', 'cidrs'))
        .map(String)
        .join(','),
  },
  'runtimeclasses.node.k8s.io': { Handler: at('handler') },
  'clusterrolebindings.rbac.authorization.k8s.io': bindingCells,
  'rolebindings.rbac.authorization.k8s.io': bindingCells,
  'resourceclaims.resource.k8s.io': {
    State: (object) =>
      [
        memberAt(object, 'status', 'allocation') === undefined ? 'pending' : 'allocated',
        ...(itemsOf(memberAt(object, 'status', 'reservedFor')).length === 0 ? [] : ['reserved']),
      ].join(','),
  },
  'resourceslices.resource.k8s.io': {
    Node: (object) => textAt(object, 'spec', 'nodeName'),
    Driver: at('spec', 'driver'),
    Pool: at('spec', 'pool', 'name'),
  },
  'priorityclasses.scheduling.k8s.io': {
    Value: numberAt('value'),
    'Global-Default': booleanAt('globalDefault'),
    PreemptionPolicy: (object) => textAt(object, 'preemptionPolicy'),
  },
  'csidrivers.storage.k8s.io': {
    AttachRequired: booleanAt('spec', 'attachRequired'),
    PodInfoOnMount: booleanAt('spec', 'podInfoOnMount'),
    StorageCapacity: booleanAt('spec', 'storageCapacity'),
    TokenRequests: (object) =>
      itemsOf(memberAt(object, 'spec', 'tokenRequests'))
        .map((request) => textAt(request, 'audience'))
        .join(',') || UNSET,
    RequiresRepublish: booleanAt('spec', 'requiresRepublish'),
    Modes: (object) =>
      itemsOf(memberAt(object, 'spec', 'volumeLifecycleModes'))
        .map(String)
        .join(',') || NONE,
  },
  'csinodes.storage.k8s.io': { Drivers: countAt('spec', 'drivers') },
  'storageclasses.storage.k8s.io': {
    Provisioner: at('provisioner'),
    ReclaimPolicy: atOr('Delete', 'reclaimPolicy'),
    VolumeBindingMode: atOr('Immediate', 'volumeBindingMode'),
    AllowVolumeExpansion: booleanAt('allowVolumeExpansion'),
    Name: (object) =>
      `${object.metadata.name ?? ''}${object.metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true' ? ' (default)' : ''}`,
  },
  'volumeattachments.storage.k8s.io': {
    Attacher: at('spec', 'attacher'),
    PV: (object) => textAt(object, 'spec', 'source', 'persistentVolumeName'),
    Node: at('spec', 'nodeName'),
    Attached: booleanAt('status', 'attached'),
  },
  'volumeattributesclasses.storage.k8s.io': { DriverName: at('driverName') },
};
