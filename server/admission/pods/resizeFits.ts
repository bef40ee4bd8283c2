import { amountsOf, type AmountTexts } from '../../../api/amounts.js';
import { podTotals } from '../../../api/podTotals.js';
import { scaledQuantity, zeroQuantity } from '../../../api/quantity.js';
import type { PodSpec } from '../../../api/types/core/v1.js';
import type { ApiObject } from '../../../api/object.js';
import { forbidden, type StatusCause, type StatusError } from '../../../api/status.js';
import { memberAt } from '../../../api/json/members.js';
import type { AdmissionPlugin } from '../../registry/admission.js';
import type { Lookup } from '../../registry/lookup.js';
import { changedOnNode, nodes } from './changedOnNode.js';

const osLabel = 'kubernetes.io/os';

/** Checked node resources, and the power of ten for counting each. */
const counted = [
  { name: 'cpu', places: 3 },
  { name: 'memory', places: 0 },
] as const;

/** A running pod must not be resized beyond its node, nor without the node's support. */
export const podResizeFits = (lookup: Lookup): AdmissionPlugin => ({
  name: 'PodResizeValidator',
  resources: ['pods'],
  async validate(request) {
    const change = request.subresource === 'resize' ? changedOnNode(request) : null;
    if (change === null) return;
    const node = await lookup.find(nodes, '', change.nodeName);
    const refuse = (why: string, causes?: StatusCause[]): StatusError => forbidden(request.resource.storage, request.name, why, causes);
    if (node === null) throw refuse(`node ${JSON.stringify(change.nodeName)} not found`);
    for (const { reason, find } of checks) {
      const why = find(change.pod, node);
      if (why !== null) throw refuse(why, [{ reason }]);
    }
  },
});

function excess(pod: ApiObject, node: ApiObject): string | null {
  const requested = podTotals(pod['spec'] as unknown as PodSpec, 'requests');
  const allocatable = amountsOf(memberAt(node, 'status', 'allocatable') as unknown as AmountTexts | undefined);
  const missing = counted.flatMap(({ name, places }) => {
    const [wanted, there] = [requested, allocatable].map((amounts) => scaledQuantity(amounts.get(name) ?? zeroQuantity, places));
    return wanted! > there! ? [`${name}, requested: ${wanted}, allocatable: ${there}`] : [];
  });
  return missing.length === 0 ? null : `node didn't have enough allocatable resources: ${missing.join('; ')}`;
}

/** A node without the label is taken for a Linux node. */
function otherSystem(_: ApiObject, { metadata }: ApiObject): string | null {
  const system = metadata.labels?.[osLabel] ?? 'linux';
  if (system === 'linux') return null;
  return `pod resize is only supported on linux nodes, node ${JSON.stringify(metadata.name)} is ${JSON.stringify(system)}`;
}

/** The order and the causes are the reference's (`podresize/admission.go`). */
const checks = [
  { reason: 'UnsupportedPlatform', find: otherSystem },
  { reason: 'NodeCapacity', find: excess },
] as const;
