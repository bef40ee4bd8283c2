import { readFileSync } from 'node:fs';
import type { TLSSocket } from 'node:tls';
import { memberId } from '../types.js';
import type { MemberId } from '../types.js';

/** PEM files of this replica: the authority, and a certificate for peer usage that serves in both directions. */
export interface TlsFiles {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** The name that marks a certificate as issued to a member for peer usage: a DNS subject alternative name that no client or server certificate carries. */
export function peerName(id: MemberId): string {
  return `${id}.raft`;
}

/**
 * The member that a verified certificate was issued to: its common name, provided that the certificate is marked for peer usage with
 * the matching alternative name. Null for every other certificate of the authority (an administrator's, an API server's).
 */
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

/** Reads the files anew, so that renewed certificates are used for connections made from then on. Throws an Error that names the file. */
export function readTlsFiles(files: TlsFiles): { ca: Buffer; cert: Buffer; key: Buffer } {
  return { ca: readPem(files.caFile, 'authority'), cert: readPem(files.certFile, 'certificate'), key: readPem(files.keyFile, 'key') };
}

function readPem(path: string, what: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new Error(`cannot read the peer ${what} file ${path}`, { cause });
  }
}
