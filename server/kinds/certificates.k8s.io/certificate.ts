import { X509Certificate } from 'node:crypto';
import { pemBlocks } from './pem.js';

const pemType = 'CERTIFICATE';

/** The certificates are PEM in base64. */
export function certificateProblem(base64: string): string | null {
  if (base64 === '') return null;
  const blocks = pemBlocks(Buffer.from(base64, 'base64').toString('latin1'));
  if (blocks.length === 0) return `must contain at least one ${pemType} PEM block`;
  for (const { type, hasHeaders, bytes } of blocks) {
    if (type !== pemType) return `only ${pemType} PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (hasHeaders) return 'no PEM block headers are permitted';
    if (bytes.length === 0) return `found ${pemType} PEM block containing 0 certificates`;
    if (!isCertificate(bytes)) return 'x509: malformed certificate';
  }
  return null;
}

export function isCertificate(bytes: Buffer): boolean {
  try {
    return new X509Certificate(bytes).raw.length > 0;
  } catch {
    return false;
  }
}
