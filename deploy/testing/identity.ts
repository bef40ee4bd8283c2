import fs from 'node:fs';
import path from 'node:path';
import type { KeyAndCertificate } from '../certificateRequest.js';
import { issueCertificate } from '../certificates.js';
import { kubeconfigText } from '../kubeconfig.js';
import type { PkiFiles } from '../pki.js';

/** The address and credentials for a cluster: `@kubernetes/client-node` loads it by `loadFromString(kubeconfig)`, and `raftplane/client` takes it as it is. */
export interface ClientConfig {
  /** `https://127.0.0.1:port` */
  readonly server: string;
  /** PEM texts. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  /** YAML with everything embedded. */
  readonly kubeconfig: string;
}

/** Makes client certificates with a cluster's authority, for any user; roles define the permissions. */
export class Identities {
  readonly #server: string;
  readonly #pki: PkiFiles;
  readonly ca: string;
  readonly authority: KeyAndCertificate;

  constructor(server: string, pki: PkiFiles) {
    this.#server = server;
    this.#pki = pki;
    this.ca = fs.readFileSync(pki.caFile, 'utf8');
    this.authority = { certificate: this.ca, key: fs.readFileSync(path.join(path.dirname(pki.caFile), 'ca.key'), 'utf8') };
  }

  get admin(): ClientConfig {
    const { certFile, keyFile } = this.#pki.admin;
    return this.#config('kubernetes-admin', { cert: fs.readFileSync(certFile, 'utf8'), key: fs.readFileSync(keyFile, 'utf8') });
  }

  async of(user: string, groups: readonly string[]): Promise<ClientConfig> {
    const { certificate, key } = await issueCertificate(this.authority, { commonName: user, organization: groups, usages: ['clientAuth'] });
    return this.#config(user, { cert: certificate, key });
  }

  #config(user: string, { cert, key }: { readonly cert: string; readonly key: string }): ClientConfig {
    const { ca } = this;
    const server = this.#server;
    return { server, ca, cert, key, kubeconfig: kubeconfigText({ server, ca, user, cert, key, name: 'raftplane' }) };
  }
}
