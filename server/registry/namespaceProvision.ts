import { StatusError } from '../../api/status.js';
import type { Catalogue } from './resources.js';
import type { Registry } from './contract.js';
import { ownWrites } from './ownWrites.js';

/** The admission plugin NamespaceAutoProvision. Another writer may be faster. */
export async function provideNamespace(registry: () => Registry, catalogue: Catalogue, name: string): Promise<void> {
  const resource = catalogue.resource('', 'v1', 'namespaces');
  if (resource === null) return;
  await registry()
    .create({ resource, namespace: '', name: '' }, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, ownWrites)
    .catch((error: unknown) => {
      if (!(error instanceof StatusError) || error.reason !== 'AlreadyExists') throw error;
    });
}
