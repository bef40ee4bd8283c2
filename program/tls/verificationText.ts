const unknownAuthority: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Uses the words of Go's `crypto/x509`, which scripts search for; null without any. */
export function verificationText(error: Error): string | null {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (unknownAuthority.has(code)) return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
  return code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID'
    ? 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid'
    : null;
}
