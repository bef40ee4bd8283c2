import type { ApiObject } from '../../../api/object.js';
import { forbidden } from '../../../api/status.js';
import { sameValue } from '../../../api/json/equality.js';
import { isSet, itemsOf, memberAt } from '../../../api/json/members.js';
import type { AdmissionPlugin } from '../../registry/admission.js';
import type { Lookup } from '../../registry/lookup.js';
import { changedOnNode, nodes } from './changedOnNode.js';

const changesPodAmounts = (pod: ApiObject, old: ApiObject): boolean => {
  const [now, before] = [pod, old].map((each) => memberAt(each, 'spec', 'resources') ?? null);
  return (isSet(now) || isSet(before)) && !sameValue(now, before);
};

/** Node features that changes to a bound pod need, by name. Other declared features matter only for scheduling. */
const features: readonly { readonly name: string; readonly isNeeded: (pod: ApiObject, old: ApiObject) => boolean }[] = [
  { name: 'InPlacePodLevelResourcesVerticalScaling', isNeeded: changesPodAmounts },
];

const watched: ReadonlySet<string> = new Set(['', 'resize']);

/** A running pod must not be changed in ways that its node does not support. */
export const nodeDeclaresFeatures = (lookup: Lookup): AdmissionPlugin => ({
  name: 'NodeDeclaredFeatureValidator',
  resources: ['pods'],
  async validate(request) {
    const change = watched.has(request.subresource) ? changedOnNode(request) : null;
    if (change === null) return;
    const needed = features.filter(({ isNeeded }) => isNeeded(change.pod, change.old));
    if (needed.length === 0) return;
    const node = await lookup.find(nodes, '', change.nodeName);
    const why = node === null ? `node ${JSON.stringify(change.nodeName)} not found` : lackOf(needed, node);
    if (why !== null) throw forbidden(request.resource.storage, request.name, why);
  },
});

function lackOf(needed: typeof features, node: ApiObject): string | null {
  const declared = new Set(itemsOf(memberAt(node, 'status', 'declaredFeatures')));
  const missing = needed.filter(({ name }) => !declared.has(name)).map(({ name }) => name);
  return missing.length === 0
    ? null
    : `pod update requires features ${missing.join(', ')} which are not available on node ${JSON.stringify(node.metadata.name)}`;
}
