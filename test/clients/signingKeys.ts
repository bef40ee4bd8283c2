import { generateKeyPairSync } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/** Writes a pair of RSA keys for tokens of service accounts. */
export function createSigningKeys(directory: string): { readonly publicFile: string; readonly privateFile: string } {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const [publicFile, privateFile] = [path.join(directory, 'sa-signer.crt'), path.join(directory, 'sa-signer.key')];
  fs.writeFileSync(publicFile, publicKey);
  fs.writeFileSync(privateFile, privateKey, { mode: 0o600 });
  return { publicFile, privateFile };
}
