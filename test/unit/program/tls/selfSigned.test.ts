import { X509Certificate, createPrivateKey } from 'node:crypto';
import { expect } from 'chai';
import * as x509 from '@peculiar/x509';
import { identifier, integer, octets, time } from '../../../../program/tls/der.js';
import { makeSelfSigned } from '../../../../program/tls/selfSigned.js';

describe('certificates that sign themselves', () => {
  const made = makeSelfSigned({ dns: ['a.example', 'localhost'], ip: ['127.0.0.1', '::1', 'fd00:1:2::3:4', '::ffff:10.0.0.1'] });
  const certificate = new X509Certificate(made.cert);

  it('are good for the names and addresses that were asked for', () => {
    expect(certificate.subjectAltName?.split(', ')).to.deep.equal([
      'DNS:a.example',
      'DNS:localhost',
      'IP Address:127.0.0.1',
      'IP Address:0:0:0:0:0:0:0:1',
      'IP Address:FD00:1:2:0:0:0:3:4',
      'IP Address:0:0:0:0:0:FFFF:A00:1',
    ]);
    expect(certificate.subject).to.match(/^CN=a\.example@\d+$/);
    expect(certificate.issuer).to.equal(certificate.subject);
  });

  it('are signed with their own key, and may sign and serve', () => {
    expect(certificate.verify(certificate.publicKey)).to.equal(true);
    expect(certificate.checkPrivateKey(createPrivateKey(made.key))).to.equal(true);
    expect(certificate.ca).to.equal(true);
    const read = new x509.X509Certificate(made.cert);
    const { digitalSignature, keyCertSign } = x509.KeyUsageFlags;
    expect(read.getExtension(x509.KeyUsagesExtension)).to.include({ usages: digitalSignature | keyCertSign, critical: true });
    expect(read.getExtension(x509.ExtendedKeyUsageExtension)?.usages).to.deep.equal([x509.ExtendedKeyUsage.serverAuth]);
    expect(read.getExtension(x509.BasicConstraintsExtension)).to.include({ ca: true, critical: true });
  });

  it('hold from a day ago on, for a year', () => {
    const days = (text: string): number => Math.round((Date.parse(text) - Date.now()) / 86_400_000);
    expect([days(certificate.validFrom), days(certificate.validTo)]).to.deep.equal([-1, 365]);
  });
});

describe('values in DER', () => {
  const hex = (bytes: Buffer): string => bytes.toString('hex');
  it('are as the standard has them', () => {
    expect(hex(identifier('1.2.840.10045.4.3.2'))).to.equal('06082a8648ce3d040302');
    expect(hex(integer(Buffer.of(0x7f)))).to.equal('02017f');
    expect(hex(integer(Buffer.of(0x80)))).to.equal('02020080');
    expect(time(new Date(Date.UTC(2049, 11, 31, 23, 59, 59))).toString('latin1')).to.equal('\u0017\r491231235959Z');
    expect(time(new Date(Date.UTC(2050, 0, 1))).toString('latin1')).to.equal('\u0018\u000f20500101000000Z');
    expect(hex(octets(Buffer.alloc(200)).subarray(0, 3))).to.equal('0481c8');
  });
});
