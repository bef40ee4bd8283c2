import type { ApiObject, JsonValue } from '../../api/object.js';
import { itemsOf, memberAt, membersOf, textAt } from '../../registry/members.js';
import {
  ageAt,
  at,
  atOr,
  age,
  condition,
  containersAt,
  keysAt,
  labelsText,
  NONE,
  numberAt,
  selectorText,
  UNSET,
  type Cells,
} from './cell.js';
import { podCells } from './pods.js';

const ACCESS_MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};
const accessModes = (modes: JsonValue | undefined): string =>
  Object.keys(ACCESS_MODES)
    .filter((mode) => itemsOf(modes).includes(mode))
    .map((mode) => ACCESS_MODES[mode])
    .join(',');

/** How many endpoints of a list are spelled out. */
const ENDPOINTS_SHOWN = 3;

function endpointsText(object: ApiObject): string {
  const all = itemsOf(object['subsets']).flatMap((subset) => {
    const ports = itemsOf(memberAt(subset, 'ports'));
    const addresses = itemsOf(memberAt(subset, 'addresses')).map((address) => textAt(address, 'ip'));
    return ports.length === 0
      ? addresses
      : ports.flatMap((port) => addresses.map((ip) => `${ip.includes(':') ? `[${ip}]` : ip}:${textAt(port, 'port')}`));
  });
  if (all.length === 0) return NONE;
  const shown = all.slice(0, ENDPOINTS_SHOWN).join(',');
  return all.length > ENDPOINTS_SHOWN ? `${shown} + ${all.length - ENDPOINTS_SHOWN} more...` : shown;
}

function externalAddresses(service: ApiObject): string {
  const given = itemsOf(memberAt(service, 'spec', 'externalIPs')).map(String);
  const balanced = itemsOf(memberAt(service, 'status', 'loadBalancer', 'ingress')).map(
    (entry) => textAt(entry, 'ip') || textAt(entry, 'hostname'),
  );
  switch (textAt(service, 'spec', 'type')) {
    case 'LoadBalancer':
      return [...balanced, ...given].join(',') || '<pending>';
    case 'ExternalName':
      return textAt(service, 'spec', 'externalName');
    default:
      return given.join(',') || NONE;
  }
}

const portsText = (service: ApiObject): string =>
  itemsOf(memberAt(service, 'spec', 'ports'))
    .map(
      (port) =>
        `${textAt(port, 'port')}${textAt(port, 'nodePort') === '' ? '' : `:${textAt(port, 'nodePort')}`}/${textAt(port, 'protocol') || 'TCP'}`,
    )
    .join(',') || NONE;

const ROLE_LABEL = 'node-role.kubernetes.io/';

function nodeRoles(node: ApiObject): string {
  const labels = node.metadata.labels ?? {};
  const roles = Object.keys(labels)
    .filter((key) => key.startsWith(ROLE_LABEL))
    .map((key) => key.slice(ROLE_LABEL.length))
    .filter((role) => role !== '');
  const named = labels['kubernetes.io/role'];
  return [...new Set(named === undefined || named === '' ? roles : [...roles, named])].sort().join(',') || NONE;
}

function nodeStatus(node: ApiObject): string {
  const ready = condition(node, 'Ready');
  const state = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  return memberAt(node, 'spec', 'unschedulable') === true ? `${state},SchedulingDisabled` : state;
}

const nodeAddress = (node: ApiObject, type: string): string =>
  textAt(
    itemsOf(memberAt(node, 'status', 'addresses')).find((address) => textAt(address, 'type') === type),
    'address',
  ) || NONE;

/** Components have their conditions beside the metadata, and one that matters. */
const health = (object: ApiObject): JsonValue | undefined =>
  itemsOf(object['conditions']).find((each) => textAt(each, 'type') === 'Healthy');

function kernelVersion(node: ApiObject): string {
  const [version, architecture] = [textAt(node, 'status', 'nodeInfo', 'kernelVersion'), textAt(node, 'status', 'nodeInfo', 'architecture')];
  return version === '' ? '<unknown>' : architecture === '' ? version : `${version} (${architecture})`;
}

function eventSource(event: ApiObject): string {
  // The two groups of events have different names for the same.
  const component =
    textAt(event, 'source', 'component') ||
    textAt(event, 'deprecatedSource', 'component') ||
    textAt(event, 'reportingComponent') ||
    textAt(event, 'reportingController');
  const host = textAt(event, 'source', 'host') || textAt(event, 'deprecatedSource', 'host') || textAt(event, 'reportingInstance');
  return host === '' ? component : `${component}, ${host}`;
}

const eventTime = (event: ApiObject, ...members: readonly string[]): JsonValue | undefined =>
  members.map((member) => event[member]).find((time) => typeof time === 'string');

const eventCells = (involved: string, message: string): Cells => ({
  'Last Seen': (event, now) =>
    age(
      memberAt(event, 'series', 'lastObservedTime') ??
        eventTime(event, 'lastTimestamp', 'deprecatedLastTimestamp', 'firstTimestamp', 'eventTime'),
      now,
    ),
  Type: (event) => textAt(event, 'type'),
  Reason: (event) => textAt(event, 'reason'),
  Object: (event) => `${textAt(event, involved, 'kind').toLowerCase()}/${textAt(event, involved, 'name')}`,
  Subobject: (event) => textAt(event, involved, 'fieldPath'),
  Source: eventSource,
  Message: (event) => textAt(event, message).trim(),
  'First Seen': (event, now) => age(eventTime(event, 'firstTimestamp', 'deprecatedFirstTimestamp', 'eventTime'), now),
  Count: (event) => Number(textAt(event, 'series', 'count') || textAt(event, 'count') || textAt(event, 'deprecatedCount') || 1),
});

function quotaText(quota: ApiObject, wanted: (name: string) => boolean): string {
  const hard = membersOf(memberAt(quota, 'status', 'hard'));
  return Object.keys(hard)
    .filter(wanted)
    .sort()
    .map((name) => `${name}: ${textAt(quota, 'status', 'used', name) || '0'}/${String(hard[name])}`)
    .join(', ');
}

const terminatingOr = (object: ApiObject, state: string): string =>
  object.metadata.deletionTimestamp === undefined ? state : 'Terminating';

export const coreCells: Readonly<Record<string, Cells>> = {
  pods: podCells,
  configmaps: { Data: keysAt(['data'], ['binaryData']) },
  componentstatuses: {
    Status: (object) => ({ True: 'Healthy', False: 'Unhealthy' })[textAt(health(object), 'status')] ?? 'Unknown',
    Message: (object) => textAt(health(object), 'message'),
    Error: (object) => textAt(health(object), 'error'),
  },
  endpoints: { Endpoints: endpointsText },
  events: eventCells('involvedObject', 'message'),
  'events.events.k8s.io': eventCells('regarding', 'note'),
  namespaces: { Status: (object) => textAt(object, 'status', 'phase') },
  nodes: {
    Status: nodeStatus,
    Roles: nodeRoles,
    Version: (object) => textAt(object, 'status', 'nodeInfo', 'kubeletVersion'),
    'Internal-IP': (node) => nodeAddress(node, 'InternalIP'),
    'External-IP': (node) => nodeAddress(node, 'ExternalIP'),
    'OS-Image': atOr('<unknown>', 'status', 'nodeInfo', 'osImage'),
    'Kernel-Version': kernelVersion,
    'Container-Runtime': atOr('<unknown>', 'status', 'nodeInfo', 'containerRuntimeVersion'),
  },
  persistentvolumeclaims: {
    Status: (claim) => terminatingOr(claim, textAt(claim, 'status', 'phase')),
    Volume: (claim) => textAt(claim, 'spec', 'volumeName'),
    Capacity: (claim) => (textAt(claim, 'spec', 'volumeName') === '' ? '' : textAt(claim, 'status', 'capacity', 'storage')),
    'Access Modes': (claim) => (textAt(claim, 'spec', 'volumeName') === '' ? '' : accessModes(memberAt(claim, 'status', 'accessModes'))),
    StorageClass: (claim) => textAt(claim, 'spec', 'storageClassName'),
    VolumeAttributesClass: atOr(UNSET, 'spec', 'volumeAttributesClassName'),
    VolumeMode: atOr(UNSET, 'spec', 'volumeMode'),
  },
  persistentvolumes: {
    Capacity: (volume) => textAt(volume, 'spec', 'capacity', 'storage'),
    'Access Modes': (volume) => accessModes(memberAt(volume, 'spec', 'accessModes')),
    'Reclaim Policy': (volume) => textAt(volume, 'spec', 'persistentVolumeReclaimPolicy'),
    Status: (volume) => terminatingOr(volume, textAt(volume, 'status', 'phase')),
    Claim: (volume) =>
      memberAt(volume, 'spec', 'claimRef') === undefined
        ? ''
        : `${textAt(volume, 'spec', 'claimRef', 'namespace')}/${textAt(volume, 'spec', 'claimRef', 'name')}`,
    StorageClass: (volume) => textAt(volume, 'spec', 'storageClassName'),
    VolumeAttributesClass: atOr(UNSET, 'spec', 'volumeAttributesClassName'),
    Reason: (volume) => textAt(volume, 'status', 'reason'),
    VolumeMode: atOr(UNSET, 'spec', 'volumeMode'),
  },
  podtemplates: {
    ...containersAt('template', 'spec'),
    'Pod Labels': (object) => labelsText(memberAt(object, 'template', 'metadata', 'labels')),
  },
  replicationcontrollers: {
    Desired: numberAt('spec', 'replicas'),
    Current: numberAt('status', 'replicas'),
    Ready: numberAt('status', 'readyReplicas'),
    ...containersAt('spec', 'template', 'spec'),
    Selector: (object) => labelsText(memberAt(object, 'spec', 'selector')),
  },
  resourcequotas: {
    Request: (quota) => quotaText(quota, (name) => !name.startsWith('limits')),
    Limit: (quota) => quotaText(quota, (name) => name.startsWith('limits')),
  },
  secrets: { Type: (object) => textAt(object, 'type'), Data: keysAt(['data']) },
  services: {
    Type: (object) => textAt(object, 'spec', 'type') || 'ClusterIP',
    'Cluster-IP': at('spec', 'clusterIP'),
    'External-IP': externalAddresses,
    'Port(s)': portsText,
    Selector: (object) => labelsText(memberAt(object, 'spec', 'selector')),
  },
  'leases.coordination.k8s.io': { Holder: (object) => textAt(object, 'spec', 'holderIdentity') },
  'networkpolicies.networking.k8s.io': { 'Pod-Selector': (object) => selectorText(memberAt(object, 'spec', 'podSelector')) },
  'certificatesigningrequests.certificates.k8s.io': {
    Age: ageAt('metadata', 'creationTimestamp'),
    SignerName: at('spec', 'signerName'),
    Requestor: (object) => textAt(object, 'spec', 'username'),
    RequestedDuration: at('spec', 'expirationSeconds'),
    Condition: (object) =>
      itemsOf(memberAt(object, 'status', 'conditions'))
        .map((each) => textAt(each, 'type'))
        .concat(memberAt(object, 'status', 'certificate') === undefined ? [] : ['Issued'])
        .join(',') || 'Pending',
  },
};
