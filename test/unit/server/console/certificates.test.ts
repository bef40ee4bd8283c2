import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { X509Certificate } from 'node:crypto';
import { makeSelfSigned } from '../../../../program/tls/selfsigned.js';
import { readCertificates } from '../../../../server/console/certificates.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';

describe('console/certificates', () => {
  const folder = temporaryDirectory('certificates');
  const write = (name: string, text: string): string => {
    const file = path.join(folder, name);
    fs.writeFileSync(file, text);
    return file;
  };
  const made = (): string => makeSelfSigned({ dns: ['a.example'], ip: [] }).cert;

  it('tells the end of each certificate of a bundle, by its option', async () => {
    const [one, two] = [made(), made()];
    const known = await readCertificates([{ option: '--client-ca-file', file: write('bundle.crt', `# two\n${one}${two}`) }]);
    expect(known.map(({ option, endsAt, fingerprint }) => ({ option, endsAt, fingerprint }))).to.have.deep.members(
      [one, two].map((text) => {
        const { validTo, fingerprint256 } = new X509Certificate(text);
        return { option: '--client-ca-file', endsAt: Date.parse(validTo), fingerprint: fingerprint256 };
      }),
    );
    expect(known.every(({ subject }) => subject !== '' && !subject.includes('='))).to.equal(true);
  });

  it('puts files first that cannot be read, or hold no certificate', async () => {
    const files = [write('good.crt', made()), path.join(folder, 'none.crt'), write('empty.crt', ''), write('broken.crt', brokenBlock)];
    const known = await readCertificates(files.map((file) => ({ option: path.basename(file), file })));
    expect(known.map(({ option, endsAt }) => [option, endsAt === null])).to.deep.equal([
      ['none.crt', true],
      ['empty.crt', true],
      ['broken.crt', true],
      ['good.crt', false],
    ]);
  });

  it('tells no more than a page can show', async () => {
    const known = await readCertificates([{ option: 'x', file: write('long.crt', made().repeat(50)) }]);
    expect(known).to.have.length(32);
  });
});

const brokenBlock = '-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n';
