import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { certificateBlocks } from './files/pem.js';
import { loadKubeconfig } from './kubeconfig.js';

/** A file with certificates, by the option that names it. */
export interface CertificateFile {
  readonly option: string;
  readonly file: string;
  readonly form: 'pem' | 'kubeconfig';
}

export interface KnownCertificate {
  readonly option: string;
  /** The common name, else the whole subject; empty for an unreadable file. */
  readonly subject: string;
  readonly fingerprint: string;
  /** Milliseconds since 1970; null for an unreadable file. */
  readonly endsAt: number | null;
}

/** Bundles of authorities are long. */
const certificatesMax = 32;

/** Leaves out options without a file. */
export const certificateFilesOf = <N extends string>(
  options: Readonly<Record<N, string | null>>,
  names: Readonly<Record<CertificateFile['form'], readonly N[]>>,
): readonly CertificateFile[] =>
  (['pem', 'kubeconfig'] as const).flatMap((form) =>
    names[form].flatMap((name) => {
      const file = options[name];
      return file ? [{ option: `--${name}`, file, form }] : [];
    }),
  );

/** Reads files anew, since others replace them, and sorts certificates by their end. Never rejects. */
export async function readCertificates(files: readonly CertificateFile[]): Promise<readonly KnownCertificate[]> {
  const found = await Promise.all(files.map(certificatesIn));
  return found
    .flat()
    .sort((a, b) => (a.endsAt ?? 0) - (b.endsAt ?? 0))
    .slice(0, certificatesMax);
}

async function certificatesIn({ option, file, form }: CertificateFile): Promise<readonly KnownCertificate[]> {
  try {
    const known = (await blocks[form](file)).map((block) => certificateOf(option, new X509Certificate(block)));
    // A kubeconfig may hold a token instead.
    if (known.length > 0 || form === 'kubeconfig') return known;
  } catch {
    // The program's log says why it cannot be read.
  }
  return [{ option, subject: '', fingerprint: '', endsAt: null }];
}

const blocks: Readonly<Record<CertificateFile['form'], (file: string) => Promise<readonly string[]>>> = {
  pem: async (file) => certificateBlocks(await readFile(file, 'latin1')),
  kubeconfig: (file) => {
    const { ca = '', cert = '' } = loadKubeconfig(file, '-');
    return Promise.resolve(certificateBlocks(`${ca}\n${cert}`));
  },
};

const certificateOf = (option: string, { subject, fingerprint256, validTo }: X509Certificate): KnownCertificate => ({
  option,
  subject: /^CN=(.*)$/m.exec(subject)?.[1] ?? subject.replaceAll('\n', ', '),
  fingerprint: fingerprint256,
  endsAt: Date.parse(validTo),
});
