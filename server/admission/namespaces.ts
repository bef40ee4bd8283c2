import { forbidden } from '../../api/status.js';
import type { AdmissionPlugin } from '../registry/admission.js';

const lasting: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

/**
 * The part of NamespaceLifecycle that is about namespaces themselves: some stay. What may be created in a namespace is asked by the registry, which looks at
 * the
 * namespace before it looks at the object (`server/registry/namespaceLifecycle.ts`).
 */
export const lastingNamespaces: AdmissionPlugin = {
  name: 'NamespaceLifecycle',
  resources: ['namespaces'],
  admit({ operation, resource, name }) {
    if (operation === 'DELETE' && lasting.has(name)) throw forbidden(resource.storage, name, { why: 'this namespace may not be deleted' });
  },
};
