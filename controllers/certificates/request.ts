import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

export interface RequestedCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emails: readonly string[];
  readonly uris: readonly string[];
  readonly parsed: x509.Pkcs10CertificateRequest;
}

const pemLabel = 'CERTIFICATE REQUEST';

/** Throws if the text is not a request (PEM in base64). */
export function readRequest(base64: string | null | undefined): RequestedCertificate {
  useNodeCrypto();
  const pem = Buffer.from(base64 ?? '', 'base64').toString('latin1');
  if (!pem.includes(`-----BEGIN ${pemLabel}-----`)) throw new Error(`the request holds no PEM block of type ${pemLabel}`);
  const parsed = new x509.Pkcs10CertificateRequest(pem);
  const names = parsed.extensions.flatMap((extension) =>
    extension instanceof x509.SubjectAlternativeNameExtension ? extension.names.items : [],
  );
  const of = (type: x509.GeneralNameType): readonly string[] => names.filter((name) => name.type === type).map(({ value }) => value);
  return {
    commonName: parsed.subjectName.getField('CN').at(-1) ?? '',
    organizations: parsed.subjectName.getField('O'),
    dnsNames: of('dns'),
    ipAddresses: of('ip'),
    emails: of('email'),
    uris: of('url'),
    parsed,
  };
}

/** The certificate library reads the platform's algorithms once. */
export function useNodeCrypto(): void {
  x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0]);
}
