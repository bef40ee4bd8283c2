import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';

/** A certificate authority with whatever clients and servers a test wants, also broken ones. Files stand in `directory`, the authority's key as `ca.key`. */
export interface Identities {
  readonly directory: string;
  readonly caFile: string;
  readonly ca: string;
  issue(options: IssueOptions): Promise<Identity>;
  /** An authority whose certificate this one has signed. */
  subordinate(name: string): Promise<Identities>;
}
export interface IssueOptions {
  readonly name: string;
  readonly groups?: readonly string[];
  readonly uids?: readonly string[];
  readonly usage?: 'clientAuth' | 'serverAuth';
  readonly expired?: boolean;
  readonly dns?: readonly string[];
  readonly ip?: readonly string[];
  /** What is signed by means of. Default: SHA-256. */
  readonly digest?: 'SHA-1' | 'SHA-256';
  /** Signed by itself, not by the authority. */
  readonly selfSigned?: boolean;
}
export interface Identity {
  readonly cert: string;
  readonly key: string;
  readonly certFile: string;
  readonly keyFile: string;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMs = 86_400_000;
/** The attribute of a subject that is the uid of its user. */
const uidAttribute = '1.3.6.1.4.1.57683.2';

interface Parent {
  readonly subject: string;
  readonly keys: webcrypto.CryptoKeyPair;
}

export async function createIdentities(name = 'test authority', parent: Parent | null = null): Promise<Identities> {
  x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0]);
  const directory = temporaryDirectory('http');
  const keys = await makeKeys();
  const authority = await x509.X509CertificateGenerator.create({
    subject: `CN=${name}`,
    issuer: parent?.subject ?? `CN=${name}`,
    publicKey: keys.publicKey,
    signingKey: (parent?.keys ?? keys).privateKey,
    signingAlgorithm: algorithm,
    ...validity(false),
    serialNumber: '01',
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  let serial = 1;
  const issue = async ({
    name: commonName,
    groups = [],
    uids = [],
    usage = 'clientAuth',
    expired = false,
    dns = [],
    ip = [],
    digest = 'SHA-256',
    selfSigned = false,
  }: IssueOptions): Promise<Identity> => {
    const own = await makeKeys();
    serial += 1;
    const subject = [
      ...(commonName === '' ? [] : [{ CN: [commonName] }]),
      ...groups.map((group) => ({ O: [group] })),
      ...uids.map((uid) => ({ [uidAttribute]: [uid] })),
    ];
    const certificate = await x509.X509CertificateGenerator.create({
      subject,
      issuer: selfSigned ? subject : authority.subject,
      publicKey: own.publicKey,
      signingKey: selfSigned ? own.privateKey : keys.privateKey,
      signingAlgorithm: { ...algorithm, hash: digest },
      ...validity(expired),
      serialNumber: serial.toString(16).padStart(2, '0'),
      extensions: [
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage[usage]]),
        await x509.AuthorityKeyIdentifierExtension.create(selfSigned ? own.publicKey : keys.publicKey),
        ...(dns.length + ip.length === 0
          ? []
          : [
              new x509.SubjectAlternativeNameExtension([
                ...dns.map((value) => ({ type: 'dns' as const, value })),
                ...ip.map((value) => ({ type: 'ip' as const, value })),
              ]),
            ]),
      ],
    });
    const pair = { cert: `${certificate.toString('pem')}\n`, key: await exportKey(own.privateKey) };
    const [certFile, keyFile] = [join(directory, `${serial}.crt`), join(directory, `${serial}.key`)];
    writeFileSync(certFile, pair.cert);
    writeFileSync(keyFile, pair.key);
    return { ...pair, certFile, keyFile };
  };
  const ca = `${authority.toString('pem')}\n`;
  const caFile = join(directory, 'ca.crt');
  writeFileSync(caFile, ca);
  writeFileSync(join(directory, 'ca.key'), await exportKey(keys.privateKey));
  return { directory, caFile, ca, issue, subordinate: (below) => createIdentities(below, { subject: authority.subject, keys }) };
}

const makeKeys = async (): Promise<webcrypto.CryptoKeyPair> =>
  (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
const validity = (expired: boolean): { notBefore: Date; notAfter: Date } => ({
  notBefore: new Date(Date.now() - 2 * dayMs),
  notAfter: new Date(Date.now() + (expired ? -dayMs : dayMs)),
});

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const bytes = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  return `-----BEGIN PRIVATE KEY-----\n${bytes
    .toString('base64')
    .replace(/(.{64})/g, '$1\n')
    .trimEnd()}\n-----END PRIVATE KEY-----\n`;
}
