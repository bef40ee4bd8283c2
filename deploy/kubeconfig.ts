import fs from 'node:fs';
import type { KeyPairFiles } from './pki.js';

/** A kubeconfig with everything embedded, so that it can be copied anywhere. */
export function kubeconfig(options: { readonly server: string; readonly caFile: string; readonly user: string; readonly client: KeyPairFiles }): string {
  const embedded = (file: string): string => fs.readFileSync(file).toString('base64');
  const context = `${options.user}@kubernetes`;
  return [
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    '- name: kubernetes',
    '  cluster:',
    `    certificate-authority-data: ${embedded(options.caFile)}`,
    `    server: ${options.server}`,
    'users:',
    `- name: ${options.user}`,
    '  user:',
    `    client-certificate-data: ${embedded(options.client.certFile)}`,
    `    client-key-data: ${embedded(options.client.keyFile)}`,
    'contexts:',
    `- name: ${context}`,
    '  context:',
    '    cluster: kubernetes',
    `    user: ${options.user}`,
    `current-context: ${context}`,
    '',
  ].join('\n');
}
