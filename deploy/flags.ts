import { frontProxyName, type PkiFiles } from './pki.js';
import type { ClusterSettings } from './settings.js';

export const host = '127.0.0.1';
const serviceRange = '10.96.0.0/12';
const serviceAccountIssuer = 'https://kubernetes.default.svc';

export interface FlagSources {
  readonly settings: ClusterSettings;
  readonly pki: PkiFiles;
  /** A file with the cluster's token, since all users can see arguments. */
  readonly tokenFile?: string | undefined;
  readonly port: number;
  /** Servers of an etcd as object store; without it, the API servers are the store. */
  readonly etcdServers?: readonly string[] | undefined;
  /** Replaces members' peer addresses by a test's network. */
  readonly peerAddresses?: ReadonlyMap<string, string> | undefined;
}

export function balancerFlags({ port, settings, pki }: FlagSources): string[] {
  const backends = settings.members.flatMap(({ securePort }) => ['--backend', `${host}:${securePort}`]);
  return ['--listen', `${host}:${port}`, ...backends, '--ca-file', pki.caFile];
}

export function apiserverFlags(sources: FlagSources, id: string, dataDirectory: string): string[] {
  const { settings, pki } = sources;
  const self = settings.members.find((member) => member.id === id);
  return written({
    'secure-port': String(self?.securePort),
    'bind-address': host,
    'tls-cert-file': pki.apiserver.certFile,
    'tls-private-key-file': pki.apiserver.keyFile,
    'client-ca-file': pki.caFile,
    'requestheader-client-ca-file': pki.frontProxy.caFile,
    'requestheader-allowed-names': frontProxyName,
    'requestheader-username-headers': 'X-Remote-User',
    'requestheader-group-headers': 'X-Remote-Group',
    'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
    'proxy-client-cert-file': pki.frontProxy.certFile,
    'proxy-client-key-file': pki.frontProxy.keyFile,
    'allow-privileged': 'true',
    // Several servers share this machine, and each thread costs start time and memory.
    'serving-threads': '1',
    'authorization-mode': 'Node,RBAC',
    'service-account-issuer': serviceAccountIssuer,
    'service-account-signing-key-file': pki.serviceAccount.keyFile,
    'service-account-key-file': pki.serviceAccount.pubFile,
    'service-cluster-ip-range': serviceRange,
    'raft-member-id': id,
    ...storeFlags(sources, id, dataDirectory),
  });
}

function storeFlags(
  { settings, pki, peerAddresses, etcdServers, tokenFile }: FlagSources,
  id: string,
  dataDirectory: string,
): Readonly<Record<string, string>> {
  if (etcdServers !== undefined) return { 'etcd-servers': etcdServers.join(',') };
  const self = settings.members.find((member) => member.id === id);
  const peers = settings.members.map((member) => `${member.id}=${peerAddresses?.get(member.id) ?? `${host}:${member.peerPort}`}`).join(',');
  return {
    'raft-data-dir': dataDirectory,
    'raft-initial-cluster': peers,
    ...(tokenFile === undefined ? { 'raft-cluster-token': settings.token } : { 'raft-cluster-token-file': tokenFile }),
    'raft-listen-address': `${host}:${self?.peerPort}`,
    'raft-ca-file': pki.peerCaFile,
    'raft-cert-file': pki.peer(id).certFile,
    'raft-key-file': pki.peer(id).keyFile,
  };
}

/**
 * A manager's own role may watch everything and write almost nothing; each controller writes as a service account with its own role, as in usual deployments
 * of the reference.
 */
export function managerFlags({ pki }: FlagSources, kubeconfig: string, securePort: number): string[] {
  return written({
    kubeconfig,
    'use-service-account-credentials': 'true',
    'bind-address': host,
    'secure-port': String(securePort),
    // Files of both authorities, so that the start need not read them from servers.
    'client-ca-file': pki.caFile,
    'requestheader-client-ca-file': pki.frontProxy.caFile,
    'requestheader-allowed-names': frontProxyName,
    'authentication-kubeconfig': kubeconfig,
    'authorization-kubeconfig': kubeconfig,
    'root-ca-file': pki.caFile,
    'cluster-signing-cert-file': pki.caFile,
    'cluster-signing-key-file': pki.caKeyFile,
    'service-account-private-key-file': pki.serviceAccount.keyFile,
    // The default of 20 a second lets a Deployment of a thousand take a minute.
    'kube-api-qps': '2000',
    'kube-api-burst': '4000',
  });
}

const written = (flags: Readonly<Record<string, string>>): string[] => Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
