import { isCertificate } from '../certificates.k8s.io/certificate.js';
import { pemBlocks } from '../certificates.k8s.io/pem.js';

const certificateType = 'CERTIFICATE';

/** PEM in base64. One valid certificate suffices, and an empty bundle is no error: the system's authorities then count. */
export function bundleProblem(base64: string): string | null {
  if (base64 === '') return null;
  const blocks = pemBlocks(Buffer.from(base64, 'base64').toString('latin1'));
  const certificates = blocks.filter(({ type, hasHeaders }) => type === certificateType && !hasHeaders);
  if (certificates.some(({ bytes }) => isCertificate(bytes))) return null;
  const why =
    blocks.length === 0
      ? 'unable to parse bytes as PEM block'
      : certificates.length === 0
        ? 'no valid certificate authority data seen'
        : 'failed to parse certificate: x509: malformed certificate';
  return `unable to load root certificates: ${why}`;
}
