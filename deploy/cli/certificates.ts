import path from 'node:path';
import { writeFileAtomically } from '../files.js';
import { kubeconfig } from '../kubeconfig.js';
import { ensurePki } from '../pki.js';

/** For clusters that something else runs: containers, services, another cluster. */
export interface CertificateTerms {
  readonly members: readonly string[];
  /** Further names and addresses of the API servers. */
  readonly names: readonly string[];
  /** In the administrator's kubeconfig. */
  readonly server: string;
  /** In that of the controller managers, where they reach the servers by another name. */
  readonly innerServer: string;
}

/** Makes what is missing in a folder, or about to end, and the kubeconfigs. Resolves with the names of what was made. */
export async function makeCertificates(
  folder: string,
  { members, names, server, innerServer }: CertificateTerms,
): Promise<readonly string[]> {
  const pki = await ensurePki(folder, members, { names });
  const { caFile } = pki;
  const clients = {
    admin: { server, user: 'kubernetes-admin', client: pki.admin },
    'controller-manager': { server: innerServer, user: 'system:kube-controller-manager', client: pki.controllerManager },
  };
  for (const [name, terms] of Object.entries(clients))
    writeFileAtomically(path.join(folder, `${name}.kubeconfig`), kubeconfig({ ...terms, caFile }), 0o600);
  return [...pki.written, ...Object.keys(clients).map((name) => `${name}.kubeconfig`)];
}
