import { entryOf } from '../../../api/json/members.js';
import type { User } from '../../../api/user.js';
import { qualifiedName, type GroupResource } from '../../../api/resource.js';
import { bootstrapObjects } from '../../../api/catalogue/bootstrapObjects.js';
import type { Storage, StoredObject } from '../../storage/contract.js';
import { follow } from '../../storage/follow.js';
import type { Attributes, Authorizer, Decision } from '../authorizer.js';
import { rulesOf } from '../rbac/policy.js';
import { RuleIndex } from '../rbac/ruleIndex.js';
import { noRules, type RuleResolver } from '../rules.js';
import { NodeGraph } from './graph.js';
import { keyOf, type ReferencedKind } from './references.js';

const prefix = 'system:node:';
const nodesGroup = 'system:nodes';
const leaseNamespace = 'kube-node-lease';

export const nodeOf = ({ name, groups }: User): string | null =>
  name.startsWith(prefix) && groups.includes(nodesGroup) ? name.slice(prefix.length) : null;

type ResourceAttributes = Extract<Attributes, { isResource: true }>;
/** Null allows; a text refuses, and may be empty. */
type Check = (node: string, attributes: ResourceAttributes, graph: NodeGraph) => string | null;

const unrelated = (node: string): string => `no relationship found between node '${node}' and this object`;

function related(node: string, { name }: ResourceAttributes, holds: () => boolean): string | null {
  if (name === '') return 'No Object name found';
  return holds() ? null : unrelated(node);
}

const byPods = (kind: ReferencedKind, node: string, attributes: ResourceAttributes, graph: NodeGraph): string | null =>
  related(node, attributes, () => graph.readsObject(node, keyOf(kind, attributes.namespace, attributes.name)));

const read =
  (kind: ReferencedKind): Check =>
  (node, attributes, graph) => {
    if (!['get', 'list', 'watch'].includes(attributes.verb)) return 'can only read resources of this type';
    if (attributes.subresource !== '') return 'cannot read subresource';
    return attributes.namespace === '' ? 'can only read namespaced object of this type' : byPods(kind, node, attributes, graph);
  };

function notOneGet({ verb, subresource }: ResourceAttributes): string | null {
  if (verb !== 'get') return 'can only get individual resources of this type';
  return subresource === '' ? null : 'cannot get subresource';
}

const getOne =
  (kind: ReferencedKind): Check =>
  (node, attributes, graph) =>
    notOneGet(attributes) ?? byPods(kind, node, attributes, graph);

const claims: Check = (node, attributes, graph) => {
  if (attributes.subresource !== 'status') return getOne('persistentvolumeclaims')(node, attributes, graph);
  return ['update', 'patch'].includes(attributes.verb)
    ? byPods('persistentvolumeclaims', node, attributes, graph)
    : 'can only get/update/patch this type';
};

const accounts: Check = (node, attributes, graph) => {
  const { verb, subresource, name } = attributes;
  if (verb === 'get' && subresource === '') return getOne('serviceaccounts')(node, attributes, graph);
  if (verb !== 'create' || name === '') return 'can only create tokens for individual service accounts';
  return subresource === 'token'
    ? byPods('serviceaccounts', node, attributes, graph)
    : 'can only create token subresource of serviceaccount';
};

const ownVerbs = ['get', 'create', 'update', 'patch', 'delete'];

/** The name of a new object is unknown here; admission checks it. */
const notOwn = (node: string, { verb, name }: ResourceAttributes): boolean => verb !== 'create' && name !== node;

const leases: Check = (node, attributes) => {
  if (!ownVerbs.includes(attributes.verb)) return 'can only get, create, update, patch, or delete a node lease';
  if (attributes.namespace !== leaseNamespace) return `can only access leases in the ${JSON.stringify(leaseNamespace)} system namespace`;
  return notOwn(node, attributes) ? 'can only access node lease with the same name as the requesting node' : null;
};

const csiNodes: Check = (node, attributes) => {
  if (!ownVerbs.includes(attributes.verb)) return 'can only get, create, update, patch, or delete a CSINode';
  if (attributes.subresource !== '') return 'cannot authorize CSINode subresources';
  return notOwn(node, attributes) ? 'can only access CSINode with the same name as the requesting node' : null;
};

const nodes: Check = (node, { verb, subresource, name }) => {
  if (subresource === 'status') return ['update', 'patch'].includes(verb) ? null : '';
  if (subresource !== '') return '';
  if (['create', 'update', 'patch'].includes(verb)) return null;
  if (!['get', 'list', 'watch'].includes(verb)) return '';
  if (name === node) return null;
  return name === ''
    ? `node '${node}' cannot read all nodes, only its own Node object`
    : `node '${node}' cannot read '${name}', only its own Node object`;
};

const selects = (attributes: ResourceAttributes, field: string, value: string): boolean =>
  (attributes.fields ?? []).some((requirement) => requirement.field === field && requirement.equals && requirement.value === value);

const pods: Check = (node, attributes, graph) => {
  const { verb, subresource, name } = attributes;
  if (subresource === 'status') return ['update', 'patch'].includes(verb) ? null : '';
  if (subresource === 'eviction') return verb === 'create' ? null : '';
  if (subresource !== '') return '';
  if (verb === 'create' || verb === 'delete') return null;
  if (verb === 'get') return byPods('pods', node, attributes, graph);
  if (verb !== 'list' && verb !== 'watch') return '';
  if (selects(attributes, 'spec.nodeName', node)) return null;
  return name === '' ? 'can only list/watch pods with spec.nodeName field selector' : byPods('pods', node, attributes, graph);
};

const slices: Check = (node, attributes, graph) => {
  const { verb, subresource, name } = attributes;
  if (subresource !== '') return 'cannot authorize ResourceSlice subresources';
  if (verb === 'create') return null;
  if (['get', 'update', 'patch', 'delete'].includes(verb)) return related(node, attributes, () => graph.hasSlice(node, name));
  if (!['list', 'watch', 'deletecollection'].includes(verb))
    return 'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection';
  return selects(attributes, 'spec.nodeName', node)
    ? null
    : 'can only list/watch/deletecollection resourceslices with nodeName field selector';
};

const podCertificateResource = { group: 'certificates.k8s.io', resource: 'podcertificaterequests' };

const podCertificateRequests: Check = (node, attributes, graph) => {
  const { verb, subresource } = attributes;
  if (subresource !== '') return 'cannot authorize PodCertificateRequest subresources';
  if (verb === 'create') return null;
  if (verb === 'get') return related(node, attributes, () => graph.hasPodCertificateRequest(node, attributes));
  if (verb !== 'list' && verb !== 'watch')
    return 'only the following verbs are allowed for a PodCertificateRequest: get, watch, list, create';
  return selects(attributes, 'spec.nodeName', node) ? null : 'can only list/watch podcertificaterequests with spec.nodeName field selector';
};

/** Resources with partial access for nodes; the role `system:node` covers others. */
const usualChecks: Readonly<Record<string, Check>> = {
  secrets: read('secrets'),
  configmaps: read('configmaps'),
  persistentvolumeclaims: claims,
  persistentvolumes: (node, attributes, graph) =>
    notOneGet(attributes) ?? related(node, attributes, () => graph.readsVolume(node, attributes.name)),
  serviceaccounts: accounts,
  nodes,
  pods,
  'leases.coordination.k8s.io': leases,
  'csinodes.storage.k8s.io': csiNodes,
  'volumeattachments.storage.k8s.io': (node, attributes, graph) =>
    notOneGet(attributes) ?? related(node, attributes, () => graph.hasAttachment(node, attributes.name)),
  'resourceclaims.resource.k8s.io': getOne('resourceclaims'),
  'resourceslices.resource.k8s.io': slices,
};

export interface NodeAuthorization {
  readonly authorize: Authorizer;
  readonly rules: RuleResolver;
  readonly synced: Promise<unknown>;
  stop(): void;
}

const allow: Decision = { decision: 'allow', reason: '' };
const silence: Decision = { decision: 'noOpinion', reason: '' };

export interface NodeFeatures {
  readonly podCertificates: boolean;
}

/** Authorizes kubelets for general rights of nodes, and for objects that pods on their node refer to. */
export function decideForNodes(graph: NodeGraph, { podCertificates }: NodeFeatures): Authorizer {
  const common = nodeRules();
  const checks = podCertificates ? { ...usualChecks, [qualifiedName(podCertificateResource)]: podCertificateRequests } : usualChecks;
  return (attributes) => {
    const node = nodeOf(attributes.user);
    if (node === null) return silence;
    if (node === '') return { decision: 'noOpinion', reason: `unknown node for user ${JSON.stringify(attributes.user.name)}` };
    const check = attributes.isResource ? entryOf(checks, qualifiedName(attributes)) : undefined;
    if (check === undefined || !attributes.isResource) return common.find(attributes) === null ? silence : allow;
    const refusal = check(node, attributes, graph);
    return refusal === null ? allow : { decision: 'noOpinion', reason: refusal };
  };
}

function nodeRules(): RuleIndex<true> {
  const index = new RuleIndex<true>();
  const role = bootstrapObjects()['clusterroles']?.find(({ metadata }) => metadata.name === 'system:node');
  for (const rule of role === undefined ? [] : rulesOf(role)) index.add(rule, true);
  return index;
}

const listRules: RuleResolver = (user) =>
  nodeOf(user) === null ? noRules : { ...noRules, incomplete: true, problems: ['node authorizer does not support user rule resolution'] };

/** Records the seconds of changes to the graph, by kind. */
export type GraphTimes = (operation: GraphOperation) => (seconds: number) => void;

const graphSources = {
  Pod: {
    resource: { group: '', resource: 'pods' },
    put: (graph, object) => graph.putPod(object),
    remove: (graph, { namespace, name }) => graph.removePod(namespace, name),
  },
  PV: {
    resource: { group: '', resource: 'persistentvolumes' },
    put: (graph, object) => graph.putVolume(object.name, object.decode()),
    remove: (graph, { name }) => graph.removeVolume(name),
  },
  VolumeAttachment: {
    resource: { group: 'storage.k8s.io', resource: 'volumeattachments' },
    put: (graph, object) => graph.putAttachment(object.name, object.decode()),
    remove: (graph, { name }) => graph.removeAttachment(name),
  },
  ResourceSlice: {
    resource: { group: 'resource.k8s.io', resource: 'resourceslices' },
    put: (graph, object) => graph.putSlice(object.name, object.decode()),
    remove: (graph, { name }) => graph.removeSlice(name),
  },
  PodCertificateRequest: {
    resource: podCertificateResource,
    put: (graph, object) => graph.putPodCertificateRequest(object.namespace, object.name, object.decode()),
    remove: (graph, { namespace, name }) => graph.removePodCertificateRequest(namespace, name),
  },
} as const satisfies Readonly<Record<string, GraphSource>>;

interface GraphSource {
  readonly resource: GroupResource;
  readonly put: (graph: NodeGraph, object: StoredObject) => void;
  readonly remove: (graph: NodeGraph, key: GraphKey) => void;
}
type GraphKey = Pick<StoredObject, 'namespace' | 'name'>;
type GraphKind = keyof typeof graphSources;
type GraphOperation = `${'Add' | 'Delete'}${GraphKind}`;
const graphKinds = Object.keys(graphSources) as GraphKind[];
const graphOperations = graphKinds.flatMap((kind) => [`Add${kind}`, `Delete${kind}`] as const);

function timedBy(times: GraphTimes): Readonly<Record<GraphOperation, (change: () => void) => void>> {
  const timed = (observe: (seconds: number) => void) => (change: () => void) => {
    const begun = performance.now();
    change();
    observe((performance.now() - begun) / 1000);
  };
  return Object.fromEntries(graphOperations.map((operation) => [operation, timed(times(operation))])) as ReturnType<typeof timedBy>;
}

/** Follows the `graphSources` in storage. */
export function createNodeAuthorization(
  storage: Pick<Storage, 'watch'>,
  features: NodeFeatures,
  times: GraphTimes = () => () => undefined,
): NodeAuthorization {
  const graph = new NodeGraph();
  const timed = timedBy(times);
  const followed = graphKinds
    .filter((kind) => features.podCertificates || kind !== 'PodCertificateRequest')
    .map((kind) => {
      const { resource, put, remove }: GraphSource = graphSources[kind];
      return follow(storage, resource, {
        put: (object) => {
          timed[`Add${kind}`](() => {
            put(graph, object);
          });
        },
        remove: (namespace, name) => {
          timed[`Delete${kind}`](() => {
            remove(graph, { namespace, name });
          });
        },
      });
    });
  return {
    authorize: decideForNodes(graph, features),
    rules: listRules,
    synced: Promise.all(followed.map(({ synced }) => synced)),
    stop: () => {
      for (const each of followed) each.stop();
    },
  };
}
