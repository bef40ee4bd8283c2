import 'reflect-metadata';
import { expect } from 'chai';
import { X509Certificate, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { createAuthority, issueCertificate } from '../../../deploy/certificates.js';
import type { KeyAndCertificate } from '../../../deploy/certificateRequest.js';

/** The certificate as a strict library reads it. */
const read = ({ certificate }: KeyAndCertificate): x509.X509Certificate => new x509.X509Certificate(certificate);
const hex = (bytes: ArrayBuffer): string => Buffer.from(bytes).toString('hex');

describe('deploy/certificates', () => {
  const usages = ['serverAuth', 'clientAuth'] as const;

  it('are read by a library as they were asked for', async () => {
    const authority = await createAuthority('an authority');
    const issued = await issueCertificate(authority, {
      commonName: 'ünï',
      organization: ['one', 'two'],
      usages,
      dnsNames: ['a.example', '*.b.example'],
      ipAddresses: ['127.0.0.1', '::1', '2001:db8::ff00:42:8329', '::ffff:10.0.0.1', 'fe80::', '1:2:3:4:5:6:7:8'],
    });
    const [ca, leaf] = [read(authority), read(issued)];
    expect(leaf.subjectName.toJSON()).to.deep.equal([{ O: ['one'] }, { O: ['two'] }, { CN: ['ünï'] }]);
    expect(leaf.issuer).to.equal('CN=an authority');
    expect(leaf.getExtension(x509.BasicConstraintsExtension)).to.include({ ca: false, critical: true });
    expect(ca.getExtension(x509.BasicConstraintsExtension)).to.include({ ca: true, critical: true });
    expect(leaf.getExtension(x509.KeyUsagesExtension)).to.include({ usages: x509.KeyUsageFlags.digitalSignature, critical: true });
    expect(ca.getExtension(x509.KeyUsagesExtension)?.usages).to.equal(
      x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
    );
    expect(leaf.getExtension(x509.ExtendedKeyUsageExtension)?.usages).to.deep.equal(usages.map((usage) => x509.ExtendedKeyUsage[usage]));
    const names = leaf.getExtension(x509.SubjectAlternativeNameExtension)?.names.items.map(({ type, value }) => `${type} ${value}`);
    expect(names?.slice(0, 3)).to.deep.equal(['dns a.example', 'dns *.b.example', 'ip 127.0.0.1']);
    const node = new X509Certificate(issued.certificate);
    for (const ip of ['::1', '2001:db8::ff00:42:8329', '::ffff:10.0.0.1', 'fe80::', '1:2:3:4:5:6:7:8'])
      expect(node.checkIP(ip), ip).to.equal(ip);
    const keyId = ca.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId;
    expect(keyId).to.equal(hex(await ca.publicKey.getKeyIdentifier()));
    expect(leaf.getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId).to.equal(keyId);
    expect(await leaf.verify({ publicKey: ca.publicKey })).to.equal(true);
  });

  it('carry the name of an authority that others have made, byte for byte', async () => {
    const keys: webcrypto.CryptoKeyPair = (await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
      'sign',
      'verify',
    ])) as webcrypto.CryptoKeyPair;
    const made = await x509.X509CertificateGenerator.createSelfSigned({ name: 'O=Somebody, OU=There, CN=Root', keys });
    const key = x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
    const issued = read(await issueCertificate({ certificate: made.toString('pem'), key }, { commonName: 'x', usages: ['clientAuth'] }));
    expect(hex(issued.issuerName.toArrayBuffer())).to.equal(hex(made.subjectName.toArrayBuffer()));
    expect(await issued.verify({ publicKey: made.publicKey })).to.equal(true);
    expect(issued.notAfter.getTime()).to.be.at.most(made.notAfter.getTime());
  });

  it('tell moments from 2050 on in the other form', async () => {
    const authority = await createAuthority('early', -30 * 365 * 86_400_000);
    expect(read(authority).notBefore.getUTCFullYear()).to.be.greaterThan(2050);
  });
});
