import fs from 'node:fs';
import type { KeyPairFiles } from './pki.js';

/** The contents of a kubeconfig; PEM texts. */
export interface KubeconfigTerms {
  readonly server: string;
  readonly ca: string;
  readonly user: string;
  readonly cert: string;
  readonly key: string;
  /** The cluster's name; the context is `<user>@<name>`. */
  readonly name: string;
}

/** The same with files, under the usual cluster name of the reference's tools. */
export function kubeconfig(options: {
  readonly server: string;
  readonly caFile: string;
  readonly user: string;
  readonly client: KeyPairFiles;
}): string {
  const { server, caFile, user, client } = options;
  const read = (file: string): string => fs.readFileSync(file, 'utf8');
  return kubeconfigText({ server, ca: read(caFile), user, cert: read(client.certFile), key: read(client.keyFile), name: 'kubernetes' });
}

/** Returns a kubeconfig with everything embedded, so that it can be copied anywhere. */
export function kubeconfigText({ server, ca, user, cert, key, name }: KubeconfigTerms): string {
  const embedded = (pem: string): string => Buffer.from(pem).toString('base64');
  const context = `${user}@${name}`;
  return [
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    `- name: ${name}`,
    '  cluster:',
    `    certificate-authority-data: ${embedded(ca)}`,
    `    server: ${server}`,
    'users:',
    `- name: ${JSON.stringify(user)}`,
    '  user:',
    `    client-certificate-data: ${embedded(cert)}`,
    `    client-key-data: ${embedded(key)}`,
    'contexts:',
    `- name: ${JSON.stringify(context)}`,
    '  context:',
    `    cluster: ${name}`,
    `    user: ${JSON.stringify(user)}`,
    `current-context: ${JSON.stringify(context)}`,
    '',
  ].join('\n');
}
