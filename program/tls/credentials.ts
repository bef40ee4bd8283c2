import { X509Certificate, createPrivateKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { SecureContextOptions } from 'node:tls';
import { certificateBlocks } from '../files/pem.js';
import { makeSelfSigned, type ServedNames } from './selfSigned.js';

/** The message names the file and the fault. */
export class CredentialError extends Error {}

export interface KeyPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}
export interface KeyPairFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** Absent for those in `--cert-dir`. */
  readonly option?: string;
}

/** Checks that certificate (possibly with its chain) and key are valid now and match. */
export function readKeyPair(certFile: string, keyFile: string, now: Date = new Date()): KeyPair {
  const cert = readPem(certFile, 'certificate');
  const key = readPem(keyFile, 'private key');
  const leaf = parseCertificate(cert, certFile);
  const privateKey = parseKey(key, keyFile);
  if (!leaf.checkPrivateKey(privateKey))
    throw new CredentialError(`the private key in ${keyFile} does not belong to the certificate in ${certFile}`);
  if (now.getTime() > Date.parse(leaf.validTo))
    throw new CredentialError(`the certificate in ${certFile} expired at ${new Date(leaf.validTo).toISOString()}`);
  return { cert, key };
}

export function readPairOf(option: string, { certFile, keyFile }: KeyPairFiles, now?: Date): KeyPair {
  try {
    return readKeyPair(certFile, keyFile, now);
  } catch (cause) {
    if (!(cause instanceof CredentialError)) throw cause;
    throw new CredentialError(`${option}: ${cause.message}`, { cause });
  }
}

export interface Authorities {
  readonly pem: Buffer;
  readonly certificates: readonly X509Certificate[];
}

/** Each certificate in the bundle must be readable. */
export function readAuthorities(file: string, option: string): Authorities {
  const bytes = readPem(file, `certificate bundle of ${option}`);
  const blocks = certificateBlocks(bytes.toString('latin1'));
  if (blocks.length === 0) throw new CredentialError(`${option}: ${file} holds no PEM certificate`);
  return { pem: bytes, certificates: blocks.map((block) => parseCertificate(Buffer.from(block), file)) };
}

/** Names the option; the library would refuse later, without it. */
export function checkTlsSettings(settings: Pick<SecureContextOptions, 'minVersion' | 'ciphers' | 'ecdhCurve'>): void {
  try {
    createSecureContext(settings);
  } catch (cause) {
    throw new CredentialError(`--tls-cipher-suites and --tls-min-version leave nothing to talk in: ${(cause as Error).message}`, { cause });
  }
}

function readPem(file: string, what: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new CredentialError(`cannot read the ${what} ${file}: ${(cause as Error).message}`, { cause });
  }
}

function parseCertificate(bytes: Buffer, file: string): X509Certificate {
  try {
    return new X509Certificate(bytes);
  } catch (cause) {
    throw new CredentialError(`${file} does not begin with a PEM certificate: ${(cause as Error).message}`, { cause });
  }
}

function parseKey(bytes: Buffer, file: string): KeyObject {
  try {
    return createPrivateKey(bytes);
  } catch (cause) {
    throw new CredentialError(`${file} does not hold an unencrypted PEM private key: ${(cause as Error).message}`, { cause });
  }
}

/** Returns `NAME.crt` and `NAME.key` in `directory`, made if absent, for a server without a configured certificate. */
export function selfSignedPair(directory: string, names: ServedNames, name = 'apiserver'): KeyPairFiles {
  const [certFile, keyFile] = [join(directory, `${name}.crt`), join(directory, `${name}.key`)];
  if (existsSync(certFile) && existsSync(keyFile)) return { certFile, keyFile };
  const made = makeSelfSigned(names);
  try {
    mkdirSync(directory, { recursive: true });
    writeWhole(keyFile, made.key, 0o600);
    writeWhole(certFile, made.cert, 0o644);
  } catch (cause) {
    throw new CredentialError(
      `cannot keep the self-signed certificate in ${directory} (--cert-dir): ${(cause as Error).message}; give --tls-cert-file and --tls-private-key-file, or a directory that can be written to`,
      { cause },
    );
  }
  return { certFile, keyFile };
}

function writeWhole(file: string, text: string, mode: number): void {
  writeFileSync(`${file}.new`, text, { mode });
  renameSync(`${file}.new`, file);
}
