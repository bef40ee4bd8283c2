import { X509Certificate, createPrivateKey } from 'node:crypto';
import fs from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import { makeFolder, writeFileAtomically } from './files.js';
import type { CertificateRequest, KeyAndCertificate } from './certificateRequest.js';
import { createAuthority, createKeyPair, issueCertificate } from './certificates.js';

/**
 * The keys and certificates of one cluster in one folder. They are made on the first start, reused, and renewed when a certificate nears its end or no longer
 * matches its key, authority or required names.
 */

/** Certificates with less time left are replaced at the next start. */
const renewBeforeMs = 30 * 24 * 60 * 60 * 1000;
const authorityName = 'kubernetes';
const frontProxyAuthorityName = 'front-proxy-ca';
const peerAuthorityName = 'raft-ca';

export interface KeyPairFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface PkiFiles {
  readonly caFile: string;
  /** The authority's key, with which the controller manager signs certificates of nodes and users. */
  readonly caKeyFile: string;
  readonly apiserver: KeyPairFiles;
  readonly admin: KeyPairFiles;
  readonly controllerManager: KeyPairFiles;
  readonly serviceAccount: { readonly keyFile: string; readonly pubFile: string };
  /** The API servers' certificate for requests on behalf of users to extension servers and each other, under its own authority. */
  readonly frontProxy: KeyPairFiles & { readonly caFile: string };
  /** The authority of replicas only, so that signers of users' requests do not have its key. */
  readonly peerCaFile: string;
  peer(memberId: string): KeyPairFiles;
  /** Files made or renewed by this call, for progress messages. */
  readonly written: readonly string[];
}

const apiserver: CertificateRequest = {
  commonName: 'kube-apiserver',
  usages: ['serverAuth'],
  dnsNames: ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'],
  ipAddresses: ['127.0.0.1', '::1', '10.96.0.1'],
};
const clients = {
  admin: { commonName: 'kubernetes-admin', organization: 'system:masters', usages: ['clientAuth'] },
  'controller-manager': { commonName: 'system:kube-controller-manager', usages: ['clientAuth'] },
} as const satisfies Record<string, CertificateRequest>;

/** Extension servers trust `X-Remote-*` headers of clients with this name under the front proxy's authority. */
export const frontProxyName = 'front-proxy-client';
const frontProxy: CertificateRequest = { commonName: frontProxyName, usages: ['clientAuth'] };

/** The DNS name of a replica ends in `.raft`, unlike that of any client or serving certificate. */
export function peerRequest(memberId: string): CertificateRequest {
  return { commonName: memberId, usages: ['serverAuth', 'clientAuth'], dnsNames: [`${memberId}.raft`] };
}

export interface PkiOptions {
  /** Tolerance for the clocks of other machines, for new certificates. */
  readonly clockSkewMs?: number | undefined;
  /** Every library that verifies tokens supports RSA; elliptic-curve keys are made a hundred times faster. */
  readonly tokenKeys?: 'rsa' | 'ec' | undefined;
  /** Further names and addresses of the API servers. */
  readonly names?: readonly string[] | undefined;
}

/** Makes missing files in `directory`, renews certificates where needed, and returns all paths. Errors name the file. */
export async function ensurePki(
  directory: string,
  memberIds: readonly string[],
  { clockSkewMs, tokenKeys = 'rsa', names = [] }: PkiOptions = {},
): Promise<PkiFiles> {
  makeFolder(directory, 0o700);
  const at = pairIn(directory);
  const written: string[] = [];
  const issuance: Issuance = { clockSkewMs, written };
  const files = filesIn(directory);
  // RSA keys take longest, and another thread.
  const [authority] = await Promise.all([
    ensureAuthority(at('ca'), authorityName, issuance),
    ensureServiceAccountKeys(files.serviceAccount, tokenKeys, written),
  ]);
  const requests: [string, CertificateRequest][] = [['apiserver', reachedBy(names)], ...Object.entries(clients)];
  const proxy = async (): Promise<void> => {
    const proxyAuthority = await ensureAuthority(at(frontProxyAuthorityName), frontProxyAuthorityName, issuance);
    await ensureCertificate(at(frontProxyName), frontProxy, proxyAuthority, issuance);
  };
  const peers = async (): Promise<void> => {
    const peerAuthority = await ensureAuthority(at(peerAuthorityName), peerAuthorityName, issuance);
    await Promise.all(memberIds.map((id) => ensureCertificate(at(peerFileName(id)), peerRequest(id), peerAuthority, issuance)));
  };
  await Promise.all([...requests.map(([name, request]) => ensureCertificate(at(name), request, authority, issuance)), proxy(), peers()]);
  return { ...files, written };
}

const pairIn =
  (directory: string) =>
  (name: string): KeyPairFiles => ({ certFile: path.join(directory, `${name}.crt`), keyFile: path.join(directory, `${name}.key`) });

function filesIn(directory: string): Omit<PkiFiles, 'written'> {
  const at = pairIn(directory);
  return {
    caFile: at('ca').certFile,
    caKeyFile: at('ca').keyFile,
    apiserver: at('apiserver'),
    admin: at('admin'),
    controllerManager: at('controller-manager'),
    serviceAccount: { keyFile: path.join(directory, 'sa.key'), pubFile: path.join(directory, 'sa.pub') },
    frontProxy: { ...at(frontProxyName), caFile: at(frontProxyAuthorityName).certFile },
    peerCaFile: at(peerAuthorityName).certFile,
    peer: (id) => at(peerFileName(id)),
  };
}

const reachedBy = (names: readonly string[]): CertificateRequest => ({
  ...apiserver,
  dnsNames: [...(apiserver.dnsNames ?? []), ...names.filter((name) => isIP(name) === 0)],
  ipAddresses: [...(apiserver.ipAddresses ?? []), ...names.filter((name) => isIP(name) !== 0)],
});

const peerFileName = (memberId: string): string => `raft-${memberId}`;

interface Issuance {
  readonly clockSkewMs: number | undefined;
  readonly written: string[];
}

async function ensureAuthority(files: KeyPairFiles, name: string, { written, clockSkewMs }: Issuance): Promise<KeyAndCertificate> {
  const existing = readPair(files);
  if (existing && whyUnfit(existing, null) === null) return existing;
  return store(files, await createAuthority(name, clockSkewMs), written);
}

async function ensureCertificate(
  files: KeyPairFiles,
  request: CertificateRequest,
  authority: KeyAndCertificate,
  { written, clockSkewMs }: Issuance,
): Promise<void> {
  const existing = readPair(files);
  if (existing && whyUnfit(existing, { request, authority }) === null) return;
  store(files, await issueCertificate(authority, request, clockSkewMs), written);
}

/** Never replaces token keys, which would invalidate all tokens. */
async function ensureServiceAccountKeys(files: { keyFile: string; pubFile: string }, kind: 'rsa' | 'ec', written: string[]): Promise<void> {
  if (fs.existsSync(files.keyFile) && fs.existsSync(files.pubFile)) return;
  const { privateKey, publicKey } = await createKeyPair(kind);
  writeFileAtomically(files.keyFile, privateKey, 0o600);
  writeFileAtomically(files.pubFile, publicKey, 0o644);
  written.push(path.basename(files.keyFile));
}

/** `expected` is null for the authority, which signed itself. */
export function whyUnfit(
  pair: KeyAndCertificate,
  expected: { readonly request: CertificateRequest; readonly authority: KeyAndCertificate } | null,
): string | null {
  try {
    const certificate = new X509Certificate(pair.certificate);
    const issuer = new X509Certificate(expected?.authority.certificate ?? pair.certificate);
    if (Date.parse(certificate.validTo) - Date.now() < renewBeforeMs) return `it ends on ${certificate.validTo}`;
    if (!certificate.checkPrivateKey(createPrivateKey(pair.key))) return 'its key does not belong to it';
    if (!certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) return 'another authority signed it';
    return expected ? wrongName(certificate, expected.request) : null;
  } catch (error) {
    return `it cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function wrongName(
  certificate: X509Certificate,
  { commonName, organization, dnsNames = [], ipAddresses = [] }: CertificateRequest,
): string | null {
  const subject = certificate.subject.split('\n');
  if (!subject.includes(`CN=${commonName}`) || [organization ?? []].flat().some((group) => !subject.includes(`O=${group}`)))
    return 'it names another subject';
  const missing = [
    ...dnsNames.filter((name) => certificate.checkHost(name, { subject: 'never' }) === undefined),
    ...ipAddresses.filter((ip) => certificate.checkIP(ip) === undefined),
  ];
  return missing.length > 0 ? `it lacks the names ${missing.join(', ')}` : null;
}

function readPair(files: KeyPairFiles): KeyAndCertificate | null {
  if (!fs.existsSync(files.certFile) || !fs.existsSync(files.keyFile)) return null;
  return { certificate: fs.readFileSync(files.certFile, 'utf8'), key: fs.readFileSync(files.keyFile, 'utf8') };
}

function store(files: KeyPairFiles, pair: KeyAndCertificate, written: string[]): KeyAndCertificate {
  writeFileAtomically(files.keyFile, pair.key, 0o600);
  writeFileAtomically(files.certFile, pair.certificate, 0o644);
  written.push(path.basename(files.certFile));
  return pair;
}
