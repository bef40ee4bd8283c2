import type { ApiObject } from '../../../api/object.js';
import { textAt } from '../../../api/json/members.js';
import type { AdmissionPlugin } from '../../registry/admission.js';
import type { Lookup } from '../lookup.js';

const nodes = { group: '', resource: 'nodes' };
const topologyLabels = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'] as const;

/** Where it stands which node a pod gets, by what is created. */
const nodeNames: Readonly<Record<string, readonly string[]>> = { '': ['spec', 'nodeName'], binding: ['target', 'name'] };

/** Labels of a node that its pods get, too; they replace what a pod says itself. */
function copyTopology(pod: ApiObject, node: ApiObject): void {
  const labels = node.metadata.labels ?? {};
  const copied = topologyLabels.filter((label) => labels[label] !== undefined).map((label) => [label, labels[label] ?? ''] as const);
  if (copied.length > 0) pod.metadata.labels = { ...pod.metadata.labels, ...Object.fromEntries(copied) };
}

/** Lets a pod know where it runs, when it gets a node: on creation, or when it is bound. */
export const podTopologyLabels = (lookup: Lookup): AdmissionPlugin => ({
  name: 'PodTopologyLabels',
  resources: ['pods'],
  async admit({ operation, subresource, object }) {
    // What a Binding carries comes to its pod.
    const path = operation !== 'CREATE' ? undefined : nodeNames[subresource];
    const nodeName = path === undefined ? '' : textAt(object ?? undefined, ...path);
    if (object === null || nodeName === '') return;
    // A node that is not known yet has nothing to tell.
    const node = await lookup.find(nodes, '', nodeName);
    if (node !== null) copyTopology(object, node);
  },
});
