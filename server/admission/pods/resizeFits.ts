import { amountsOf, type AmountTexts } from '../../../api/amounts.js';
import { podTotals } from '../../../api/podTotals.js';
import { scaledQuantity, zeroQuantity } from '../../../api/quantity.js';
import type { PodSpec } from '../../../api/types/core/v1.js';
import type { ApiObject } from '../../../api/object.js';
import { forbidden } from '../../../api/status.js';
import { memberAt } from '../../../api/json/members.js';
import type { AdmissionPlugin } from '../../registry/admission.js';
import type { Lookup } from '../lookup.js';
import { changedOnNode, nodes } from './changedOnNode.js';

const osLabel = 'kubernetes.io/os';

/** Resources that a node must have, and the power of ten in which they are counted. */
const counted = [
  { name: 'cpu', places: 3 },
  { name: 'memory', places: 0 },
] as const;

/** A running pod may not be resized beyond its node, nor on a node without support. */
export const podResizeFits = (lookup: Lookup): AdmissionPlugin => ({
  name: 'PodResizeValidator',
  resources: ['pods'],
  async validate(request) {
    const change = request.subresource === 'resize' ? changedOnNode(request) : null;
    if (change === null) return;
    const node = await lookup.find(nodes, '', change.nodeName);
    const why = node === null ? `node ${JSON.stringify(change.nodeName)} not found` : (excess(change.pod, node) ?? otherSystem(node));
    if (why !== null) throw forbidden(request.resource.storage, request.name, { why });
  },
});

function excess(pod: ApiObject, node: ApiObject): string | null {
  const requested = podTotals(pod['spec'] as unknown as PodSpec, 'requests');
  const allocatable = amountsOf(memberAt(node, 'status', 'allocatable') as unknown as AmountTexts | undefined);
  const missing = counted.flatMap(({ name, places }) => {
    const [wanted, there] = [requested, allocatable].map((amounts) => scaledQuantity(amounts.get(name) ?? zeroQuantity, places));
    return wanted! > there! ? [`${name}, requested: ${wanted}, allocatable: ${there}`] : [];
  });
  return missing.length === 0 ? null : `Node didn't have enough allocatable resources: ${missing.join('; ')}`;
}

function otherSystem({ metadata }: ApiObject): string | null {
  const system = metadata.labels?.[osLabel] ?? '';
  if (system === 'linux') return null;
  return `pod resize is only supported on linux nodes, node ${JSON.stringify(metadata.name)} is ${JSON.stringify(system)}`;
}
