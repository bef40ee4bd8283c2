import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { TLSSocket } from 'node:tls';
import { memberId } from '../types.js';
import type { MemberId } from '../types.js';

export interface TlsFiles {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** The DNS alternative name that only a member's peer certificate has. */
export function peerName(id: MemberId): string {
  return `${id}.raft`;
}

/** Null for the authority's other certificates (an administrator's, an API server's). */
export function certifiedMember(socket: TLSSocket): MemberId | null {
  const commonName: unknown = socket.getPeerCertificate()?.subject?.CN;
  const certificate = socket.getPeerX509Certificate();
  if (typeof commonName !== 'string' || certificate === undefined) return null;
  try {
    const id = memberId(commonName);
    return certificate.checkHost(peerName(id), { subject: 'never', wildcards: false }) === undefined ? null : id;
  } catch {
    return null;
  }
}

/** Throws an Error with the file's name. */
export function readTlsFiles(files: TlsFiles): { ca: Buffer; cert: Buffer; key: Buffer } {
  return {
    ca: readPem(files.caFile, 'authority'),
    cert: readPem(files.certFile, 'certificate'),
    key: readPem(files.keyFile, 'key'),
  };
}

/** Throws for a certificate that every peer would refuse. */
export function checkOwnCertificate(files: TlsFiles, id: MemberId, now: Date): void {
  const { cert, key } = readTlsFiles(files);
  const certificate = parsed(files.certFile, 'certificate', () => new X509Certificate(cert));
  if (!certificate.checkPrivateKey(parsed(files.keyFile, 'key', () => createPrivateKey(key))))
    throw new Error(`the peer key ${files.keyFile} does not belong to the peer certificate ${files.certFile}`);
  const commonName = /^CN=(.*)$/m.exec(certificate.subject)?.[1];
  if (commonName !== id || certificate.checkHost(peerName(id), { subject: 'never', wildcards: false }) === undefined) {
    throw new Error(
      `the peer certificate ${files.certFile} is not one of ${id}: it needs the common name ${id} and the DNS name ${peerName(id)}, and has ${certificate.subject.replaceAll('\n', ', ')} and ${certificate.subjectAltName ?? 'no other name'}`,
    );
  }
  if (now > new Date(certificate.validTo))
    throw new Error(`the peer certificate ${files.certFile} expired at ${certificate.validTo}; issue a new one, or set the clock`);
  if (now < new Date(certificate.validFrom))
    throw new Error(`the peer certificate ${files.certFile} is not valid before ${certificate.validFrom}; look at the clock`);
}

function parsed<T>(path: string, what: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new Error(`the peer ${what} file ${path} cannot be used: ${(cause as Error).message}`, { cause });
  }
}

function readPem(path: string, what: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new Error(`cannot read the peer ${what} file ${path}`, { cause });
  }
}
