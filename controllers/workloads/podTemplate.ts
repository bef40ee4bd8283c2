import { type KubeObject, nameOf, namespaceOf } from '../../api/meta/object.js';
import type { Pod, PodTemplateSpec } from '../../api/types/core/v1.js';
import type { Resource } from '../../api/meta/resource.js';
import { controllerReference } from './claim.js';

const dnsSubdomainMax = 253;

/** Returns a pod of a template, owned by `owner`. The server completes its name. Pure. */
export function podOf(template: PodTemplateSpec | undefined, ownerType: Resource, owner: KubeObject): Pod {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  return {
    metadata: {
      generateName: namePrefix(nameOf(owner)),
      namespace: namespaceOf(owner),
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(finalizers ? { finalizers } : {}),
      ownerReferences: [controllerReference(ownerType, owner)],
    },
    ...(template?.spec ? { spec: template.spec } : {}),
  };
}

/** Ends with a dash if the name leaves room. */
const namePrefix = (name: string): string => (name.length + 1 > dnsSubdomainMax ? name : `${name}-`);
