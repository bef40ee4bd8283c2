import path from 'node:path';
import { writeFileAtomically } from '../files.js';
import { kubeconfig } from '../kubeconfig.js';
import { ensurePki } from '../pki.js';

/** Certificates for clusters run by others: containers, services, another cluster. */
export interface CertificateTerms {
  readonly members: readonly string[];
  /** Further names and addresses of the API servers. */
  readonly names: readonly string[];
  readonly server: string;
  /** The server in the controller managers' kubeconfigs, if its name differs for them. */
  readonly innerServer: string;
}

/** Makes missing and expiring certificates of a folder, and the kubeconfigs. Resolves with the names of new files. */
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
