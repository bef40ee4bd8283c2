import type { ControllerManagerOptions } from '../options/flags.js';
import type { RequestedCertificate } from './request.js';

/** The cluster's own signers, and the requests that each accepts. Pure. */

export const kubeletClientSigner = 'kubernetes.io/kube-apiserver-client-kubelet';
const nodesOrganization = 'system:nodes';
const nodePrefix = 'system:node:';

export interface Request extends Omit<RequestedCertificate, 'parsed'> {
  readonly usages: readonly string[];
}

/** Returns why a signer refuses a request, or null. */
type Refusal = (request: Request) => string | null;

const usagesOf =
  (required: string, optional: readonly string[]) =>
  (usages: readonly string[]): boolean =>
    usages.includes(required) && usages.every((usage) => usage === required || optional.includes(usage));

const handshake = ['digital signature', 'key encipherment'];

function nodeRefusal({ organizations, commonName }: Request): string | null {
  if (organizations.length !== 1 || organizations[0] !== nodesOrganization) return `subject organization is not ${nodesOrganization}`;
  return commonName.startsWith(nodePrefix) ? null : `subject common name does not begin with ${nodePrefix}`;
}

/** Nodes may omit key encipherment, which some keys do not support, but not digital signature. */
const nodeUsages =
  (required: string) =>
  (usages: readonly string[]): boolean =>
    usages.includes('digital signature') && usagesOf(required, handshake)(usages);

function namesRefusal({ dnsNames, ipAddresses, emails, uris }: Request, allowed: 'hosts' | 'none'): string | null {
  if (emails.length > 0) return 'Email subjectAltNames are not allowed';
  if (uris.length > 0) return 'URI subjectAltNames are not allowed';
  if (allowed === 'hosts') return dnsNames.length + ipAddresses.length > 0 ? null : 'DNS or IP subjectAltName is required';
  if (dnsNames.length > 0) return 'DNS subjectAltNames are not allowed';
  return ipAddresses.length > 0 ? 'IP subjectAltNames are not allowed' : null;
}

/** Returns why a request is not for a node's client certificate, or null. */
export const kubeletClientRefusal: Refusal = (request) =>
  nodeRefusal(request) ??
  namesRefusal(request, 'none') ??
  (nodeUsages('client auth')(request.usages) ? null : 'usages are not those of a client certificate of a node');

const kubeletServingRefusal: Refusal = (request) =>
  nodeRefusal(request) ??
  namesRefusal(request, 'hosts') ??
  (nodeUsages('server auth')(request.usages) ? null : 'usages are not those of a serving certificate of a node');

const clientRefusal: Refusal = ({ usages }) => {
  const wrong = usages.find((usage) => usage !== 'client auth' && !handshake.includes(usage));
  if (wrong !== undefined) return `invalid usage for client certificate: ${wrong}`;
  return usages.includes('client auth') ? null : 'missing required usage for client certificate: client auth';
};

/** These names identify replicas (`raft/transport`), possibly under a signer's authority, so no other certificate gets one. */
const replicaName = /\.raft\.?$/i;

/** Returns why all signers of the cluster refuse a request, or null. */
const reservedRefusal: Refusal = ({ dnsNames, commonName }) => {
  const reserved = [...dnsNames, commonName].find((name) => replicaName.test(name));
  return reserved === undefined
    ? null
    : `the name ${JSON.stringify(reserved)} is for replicas of the control plane: names that end in .raft are not signed`;
};

export interface SignerFacts {
  readonly name: string;
  readonly cert: keyof ControllerManagerOptions & `cluster-signing-${string}-cert-file`;
  readonly key: keyof ControllerManagerOptions & `cluster-signing-${string}-key-file`;
  readonly refusal: Refusal;
}

const ownRules: readonly SignerFacts[] = [
  {
    name: 'kubernetes.io/kubelet-serving',
    cert: 'cluster-signing-kubelet-serving-cert-file',
    key: 'cluster-signing-kubelet-serving-key-file',
    refusal: kubeletServingRefusal,
  },
  {
    name: kubeletClientSigner,
    cert: 'cluster-signing-kubelet-client-cert-file',
    key: 'cluster-signing-kubelet-client-key-file',
    refusal: kubeletClientRefusal,
  },
  {
    name: 'kubernetes.io/kube-apiserver-client',
    cert: 'cluster-signing-kube-apiserver-client-cert-file',
    key: 'cluster-signing-kube-apiserver-client-key-file',
    refusal: clientRefusal,
  },
  {
    name: 'kubernetes.io/legacy-unknown',
    cert: 'cluster-signing-legacy-unknown-cert-file',
    key: 'cluster-signing-legacy-unknown-key-file',
    refusal: () => null,
  },
];

export const signers: readonly SignerFacts[] = ownRules.map((signer) => ({
  ...signer,
  refusal: (request) => reservedRefusal(request) ?? signer.refusal(request),
}));

export interface AuthorityFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export function filesOf({ cert, key }: SignerFacts, options: ControllerManagerOptions): AuthorityFiles | null {
  const certFile = options[cert] ?? options['cluster-signing-cert-file'];
  const keyFile = options[key] ?? options['cluster-signing-key-file'];
  return certFile && keyFile ? { certFile, keyFile } : null;
}
