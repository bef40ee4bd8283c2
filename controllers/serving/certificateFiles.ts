import { certificateFilesOf, type CertificateFile } from '../../program/knownCertificates.js';
import type { KeyPair, KeyPairFiles } from '../../program/tls/credentials.js';
import type { ControllerManagerOptions } from '../options/flags.js';

const names = {
  pem: [
    'client-ca-file',
    'requestheader-client-ca-file',
    'root-ca-file',
    'cluster-signing-cert-file',
    'cluster-signing-kube-apiserver-client-cert-file',
    'cluster-signing-kubelet-client-cert-file',
    'cluster-signing-kubelet-serving-cert-file',
    'cluster-signing-legacy-unknown-cert-file',
  ],
  kubeconfig: ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'],
} as const;

/** Files of certificates that a manager serves, trusts or signs with. A pair in memory has none: it is new at each start. */
export function certificateFiles(options: ControllerManagerOptions, pair: KeyPair | KeyPairFiles): readonly CertificateFile[] {
  const shown = 'certFile' in pair ? [{ option: pair.option ?? '--cert-dir', file: pair.certFile, form: 'pem' as const }] : [];
  return [...shown, ...certificateFilesOf(options, names)];
}
