import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { X509Certificate } from 'node:crypto';
import { Registry } from 'prom-client';
import { exposeCertificateEnds } from '../../../program/metrics/certificateEnds.js';
import { makeSelfSigned } from '../../../program/tls/selfSigned.js';
import { readCertificates } from '../../../program/knownCertificates.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';

describe('program/knownCertificates', () => {
  const folder = temporaryDirectory('certificates');
  const write = (name: string, text: string): string => {
    const file = path.join(folder, name);
    fs.writeFileSync(file, text);
    return file;
  };
  const made = (): string => makeSelfSigned({ dns: ['a.example'], ip: [] }).cert;

  it('tells the end of each certificate of a bundle, by its option', async () => {
    const [one, two] = [made(), made()];
    const known = await readCertificates([{ option: '--client-ca-file', file: write('bundle.crt', `# two\n${one}${two}`), form: 'pem' }]);
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
    const known = await readCertificates(files.map((file) => ({ option: path.basename(file), file, form: 'pem' as const })));
    expect(known.map(({ option, endsAt }) => [option, endsAt === null])).to.deep.equal([
      ['none.crt', true],
      ['empty.crt', true],
      ['broken.crt', true],
      ['good.crt', false],
    ]);
  });

  it('reads authority and client of a kubeconfig, which may hold neither', async () => {
    const [authority, client] = [made(), made()];
    const text = (data: object, user: object): string =>
      JSON.stringify({
        clusters: [{ name: 'c', cluster: { server: 'https://a.example', ...data } }],
        users: [{ name: 'u', user }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      });
    const embedded = Buffer.from(authority).toString('base64');
    write('client.crt', client);
    const files = [
      write('full.kubeconfig', text({ 'certificate-authority-data': embedded }, { 'client-certificate': 'client.crt' })),
      write('token.kubeconfig', text({}, { token: 'secret' })),
      write('broken.kubeconfig', '- none'),
    ];
    const known = await readCertificates(files.map((file) => ({ option: path.basename(file), file, form: 'kubeconfig' as const })));
    const ends = [authority, client].map((pem) => new X509Certificate(pem).fingerprint256);
    expect(known.map(({ option, fingerprint }) => [option, fingerprint])).to.have.deep.members([
      ['broken.kubeconfig', ''],
      ...ends.map((fingerprint) => ['full.kubeconfig', fingerprint]),
    ]);
  });

  it('shows ends as a metric, anew each time', async () => {
    const registry = new Registry();
    const file = write('serving.crt', made());
    exposeCertificateEnds(registry, [{ option: '--tls-cert-file', file, form: 'pem' }]);
    const series = async (): Promise<readonly string[]> =>
      (await registry.metrics()).split('\n').filter((line) => line.startsWith('raftplane_certificate_end_timestamp_seconds'));
    const seconds = Date.parse(new X509Certificate(fs.readFileSync(file)).validTo) / 1000;
    expect(await series()).to.have.length(1);
    expect((await series())[0])
      .to.contain('option="--tls-cert-file"')
      .and.to.match(new RegExp(`} ${seconds}$`));
    fs.rmSync(file);
    expect(await series()).to.deep.equal([
      'raftplane_certificate_end_timestamp_seconds{option="--tls-cert-file",subject="",fingerprint=""} 0',
    ]);
  });

  it('tells no more than a page can show', async () => {
    const known = await readCertificates([{ option: 'x', file: write('long.crt', made().repeat(50)), form: 'pem' }]);
    expect(known).to.have.length(32);
  });
});

const brokenBlock = '-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n';
