import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as x509 from '@peculiar/x509';

export interface ServingPair {
  readonly cert: string;
  readonly key: string;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 24 * 60 * 60 * 1000;
const validDays = 365;
const fileName = 'kube-controller-manager';

/** The pair given by files; otherwise the one kept in `directory`; otherwise a new one, which is kept there. */
export async function servingPair(
  files: { readonly cert: string | null; readonly key: string | null },
  directory: string | null,
): Promise<ServingPair> {
  if (files.cert && files.key) return { cert: fs.readFileSync(files.cert, 'utf8'), key: fs.readFileSync(files.key, 'utf8') };
  const kept = directory ? { cert: path.join(directory, `${fileName}.crt`), key: path.join(directory, `${fileName}.key`) } : null;
  if (kept && fs.existsSync(kept.cert) && fs.existsSync(kept.key)) return servingPair(kept, null);
  const pair = await selfSigned(os.hostname());
  if (directory && kept) {
    fs.mkdirSync(directory, { recursive: true });
    fs.writeFileSync(kept.key, pair.key, { mode: 0o600 });
    fs.writeFileSync(kept.cert, pair.cert);
  }
  return pair;
}

async function selfSigned(hostname: string): Promise<ServingPair> {
  x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0]);
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [`${hostname}@${Math.floor(Date.now() / 1000)}`] }],
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(Date.now() - dayMs),
    notAfter: new Date(Date.now() + validDays * dayMs),
    serialNumber: Buffer.from(webcrypto.getRandomValues(new Uint8Array(12))).toString('hex'),
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'dns', value: hostname },
        { type: 'dns', value: 'localhost' },
        { type: 'ip', value: '127.0.0.1' },
      ]),
    ],
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { cert: `${certificate.toString('pem')}\n`, key: `${x509.PemConverter.encode(key, 'PRIVATE KEY')}\n` };
}
