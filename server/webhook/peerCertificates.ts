import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { element, elementsIn, sequence } from '../../api/der.js';
import { CommonNameOnlyError } from '../../program/tls/serverIdentity.js';

/** Counts certificates of kinds that the reference no longer accepts. */
export interface CertificateCounts {
  /** It names its server by common name only, without `subjectAltName`: refused, unless verification is off. */
  missingSan(): void;
  /** It, or an intermediate, has a SHA-1 signature. */
  insecureSha1(): void;
}

const uncounted = (): void => undefined;
export const noCertificateCounts: CertificateCounts = { missingSan: uncounted, insecureSha1: uncounted };

interface Dated {
  readonly missingSan: boolean;
  readonly insecureSha1: boolean;
}

/** A connection presents its certificates once, but every request checks them. */
const known = new WeakMap<TLSSocket, Dated>();

export function countCertificates(socket: Socket, counts: CertificateCounts): void {
  if (!(socket instanceof TLSSocket)) return;
  let dated = known.get(socket);
  if (dated === undefined) {
    dated = datedIn(certificatesOf(socket));
    known.set(socket, dated);
  }
  if (dated.missingSan) counts.missingSan();
  if (dated.insecureSha1) counts.insecureSha1();
}

export function countRefusedCertificate(error: Error, socket: Socket | null, counts: CertificateCounts): void {
  if (!isUntrusted(error, socket)) return;
  if (error instanceof CommonNameOnlyError) counts.missingSan();
  else if (weakDigests.has(error.message)) counts.insecureSha1();
}

/** Returns whether the error is the other side's invalid certificate. */
export function isUntrusted(error: Error, socket: Socket | null): boolean {
  if (!(socket instanceof TLSSocket)) return false;
  // Also set without verification, when the error is another one.
  const finding = socket.authorizationError as unknown;
  const { code, message } = error as NodeJS.ErrnoException;
  return typeof finding === 'string' && finding === (code ?? message);
}

/** Node passes on no OpenSSL codes for these. */
const weakDigests: ReadonlySet<string> = new Set(['CA signature digest algorithm too weak']);

/** Sent by the other side, its own first. */
function certificatesOf(socket: TLSSocket): X509Certificate[] {
  const certificates: X509Certificate[] = [];
  let next = socket.getPeerX509Certificate();
  while (next !== undefined) {
    certificates.push(next);
    next = next.issuerCertificate as X509Certificate | undefined;
  }
  return certificates;
}

const datedIn = (certificates: readonly X509Certificate[]): Dated => ({
  missingSan: certificates[0] !== undefined && certificates[0].subjectAltName === undefined,
  // The signature of a self-signed certificate does not matter.
  insecureSha1: certificates.some((certificate) => certificate.issuer !== certificate.subject && isSignedBySha1(certificate.raw)),
});

/** Object identifiers in DER, with type and length: sha1WithRSAEncryption, ecdsa-with-SHA1. */
const sha1Algorithms: readonly Buffer[] = ['06092a864886f70d010105', '06072a8648ce3d0401'].map((hex) => Buffer.from(hex, 'hex'));

/** A certificate is a sequence of its content, the signature algorithm, and the signature (RFC 5280, section 4.1). */
function isSignedBySha1(certificate: Buffer): boolean {
  const [, algorithm] = elementsIn(certificate, element(certificate, 0, sequence));
  if (algorithm === undefined) return false;
  return sha1Algorithms.some((each) => certificate.subarray(algorithm.start, algorithm.start + each.length).equals(each));
}
