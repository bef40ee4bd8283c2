import { forbidden } from '../../api/status.js';
import type { AdmissionPlugin } from '../registry/admission.js';

const lasting: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

/**
 * Protects some namespaces from deletion (NamespaceLifecycle). For new objects, the registry first checks the namespace
 * (`server/registry/namespaceLifecycle.ts`).
 */
export const lastingNamespaces: AdmissionPlugin = {
  name: 'NamespaceLifecycle',
  resources: ['namespaces'],
  admit({ operation, resource, name }) {
    if (operation === 'DELETE' && lasting.has(name)) throw forbidden(resource.storage, name, 'this namespace may not be deleted');
  },
};
