import type { ApiObject } from '../../../api/object.js';
import { textAt } from '../../../api/json/members.js';
import type { AdmissionPlugin } from '../../registry/admission.js';
import type { Lookup } from '../../registry/lookup.js';

const nodes = { group: '', resource: 'nodes' };
const topologyLabels = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'] as const;

/** The path of the node's name, by created type. */
const nodeNames: Readonly<Record<string, readonly string[]>> = { '': ['spec', 'nodeName'], binding: ['target', 'name'] };

function copyTopology(pod: ApiObject, node: ApiObject): void {
  const labels = node.metadata.labels ?? {};
  const copied = topologyLabels.filter((label) => labels[label] !== undefined).map((label) => [label, labels[label] ?? ''] as const);
  if (copied.length > 0) pod.metadata.labels = { ...pod.metadata.labels, ...Object.fromEntries(copied) };
}

export const podTopologyLabels = (lookup: Lookup): AdmissionPlugin => ({
  name: 'PodTopologyLabels',
  resources: ['pods'],
  async admit({ operation, subresource, object }) {
    // The pod inherits from its Binding.
    const path = operation !== 'CREATE' ? undefined : nodeNames[subresource];
    const nodeName = path === undefined ? '' : textAt(object ?? undefined, ...path);
    if (object === null || nodeName === '') return;
    // An unknown node has no labels.
    const node = await lookup.find(nodes, '', nodeName);
    if (node !== null) copyTopology(object, node);
  },
});
