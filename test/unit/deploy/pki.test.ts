import { expect } from 'chai';
import { X509Certificate, createPrivateKey, createPublicKey, createSign, createVerify } from 'node:crypto';
import fs from 'node:fs';
import https from 'node:https';
import type net from 'node:net';
import path from 'node:path';
import { createAuthority, issueCertificate } from '../../../deploy/certificates.js';
import { kubeconfig } from '../../../deploy/kubeconfig.js';
import { ensurePki, peerRequest, whyUnfit } from '../../../deploy/pki.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';
import { parse } from 'yaml';

describe('deploy/pki', () => {
  const members = ['r1', 'r2', 'r3'];
  const directory = path.join(temporaryDirectory('pki'), 'pki');
  const certificate = (name: string): X509Certificate => new X509Certificate(fs.readFileSync(path.join(directory, `${name}.crt`)));
  before(() => ensurePki(directory, members));

  it('signs every certificate with the one authority, and keeps keys to the owner', () => {
    const ca = certificate('ca');
    expect(ca.ca).to.equal(true);
    for (const name of ['apiserver', 'admin', 'controller-manager']) {
      expect(certificate(name).verify(ca.publicKey), name).to.equal(true);
      expect(certificate(name).ca, name).to.equal(false);
    }
    const keys = fs.readdirSync(directory).filter((file) => file.endsWith('.key'));
    expect(keys).to.have.length(11);
    for (const file of keys) expect(fs.statSync(path.join(directory, file)).mode & 0o777, file).to.equal(0o600);
  });

  it('lets the front proxy speak for others under an authority of its own, which vouches for no client', () => {
    const proxy = certificate('front-proxy-client');
    expect(proxy.verify(certificate('front-proxy-ca').publicKey)).to.equal(true);
    expect(proxy.verify(certificate('ca').publicKey)).to.equal(false);
    expect(proxy.subject).to.equal('CN=front-proxy-client');
  });

  it('knows replicas by an authority of their own, and gives those of an older folder new certificates', async () => {
    const peers = certificate('raft-ca');
    for (const name of ['raft-r1', 'raft-r2', 'raft-r3']) {
      expect(certificate(name).verify(peers.publicKey), name).to.equal(true);
      expect(certificate(name).verify(certificate('ca').publicKey), name).to.equal(false);
    }
    const older = path.join(temporaryDirectory('pki'), 'older');
    await ensurePki(older, ['r1']);
    const read = (name: string): string => fs.readFileSync(path.join(older, name), 'utf8');
    const ca = { certificate: read('ca.crt'), key: read('ca.key') };
    const pair = await issueCertificate(ca, peerRequest('r1'));
    for (const name of ['raft-ca.crt', 'raft-ca.key']) fs.rmSync(path.join(older, name));
    fs.writeFileSync(path.join(older, 'raft-r1.crt'), pair.certificate);
    fs.writeFileSync(path.join(older, 'raft-r1.key'), pair.key);
    const { written, peerCaFile, peer } = await ensurePki(older, ['r1']);
    expect(written).to.have.members(['raft-ca.crt', 'raft-r1.crt']);
    expect(read('ca.crt'), 'clients stay').to.equal(ca.certificate);
    expect(
      new X509Certificate(fs.readFileSync(peer('r1').certFile)).verify(new X509Certificate(fs.readFileSync(peerCaFile)).publicKey),
    ).to.equal(true);
  });

  it('names the API server, the administrator and the replicas as clients expect', () => {
    const server = certificate('apiserver');
    for (const name of [
      'localhost',
      'kubernetes',
      'kubernetes.default',
      'kubernetes.default.svc',
      'kubernetes.default.svc.cluster.local',
    ]) {
      expect(server.checkHost(name), name).to.equal(name);
    }
    for (const ip of ['127.0.0.1', '::1', '10.96.0.1']) expect(server.checkIP(ip), ip).to.equal(ip);
    expect(certificate('admin').subject.split('\n')).to.have.members(['O=system:masters', 'CN=kubernetes-admin']);
    expect(certificate('raft-r2').subject).to.equal('CN=r2');
    expect(certificate('raft-r2').subjectAltName).to.equal('DNS:r2.raft');
  });

  it('makes certificates valid from before they were made, for clocks that are behind by as much as is configured', async () => {
    const behindMs = (name: string, at = certificate(name)): number => Date.now() - Date.parse(at.validFrom);
    expect(behindMs('apiserver')).to.be.within(4 * 60_000, 20 * 60_000);
    const other = path.join(temporaryDirectory('pki'), 'behind');
    const day = 86_400_000;
    await ensurePki(other, ['r1'], { clockSkewMs: 100 * day });
    for (const name of ['ca', 'apiserver', 'raft-r1'])
      expect(behindMs(name, new X509Certificate(fs.readFileSync(path.join(other, `${name}.crt`)))), name).to.be.within(
        100 * day,
        101 * day,
      );
  });

  it('separates what a certificate may be used for', () => {
    const serverAuth = '1.3.6.1.5.5.7.3.1';
    const clientAuth = '1.3.6.1.5.5.7.3.2';
    expect(certificate('apiserver').keyUsage).to.deep.equal([serverAuth]);
    expect(certificate('admin').keyUsage).to.deep.equal([clientAuth]);
    expect(certificate('raft-r1').keyUsage).to.deep.equal([serverAuth, clientAuth]);
  });

  it('makes a pair of service account keys that belong together', () => {
    const signature = createSign('sha256')
      .update('token')
      .sign(createPrivateKey(fs.readFileSync(path.join(directory, 'sa.key'))));
    const verified = createVerify('sha256')
      .update('token')
      .verify(createPublicKey(fs.readFileSync(path.join(directory, 'sa.pub'))), signature);
    expect(verified).to.equal(true);
  });

  it('serves a TLS connection in which both sides are verified', async () => {
    const ca = fs.readFileSync(path.join(directory, 'ca.crt'));
    const pair = (name: string): { cert: Buffer; key: Buffer } => ({
      cert: fs.readFileSync(path.join(directory, `${name}.crt`)),
      key: fs.readFileSync(path.join(directory, `${name}.key`)),
    });
    const server = https.createServer({ ...pair('apiserver'), ca, requestCert: true }, (request, response) => {
      response.end((request.socket as import('node:tls').TLSSocket).getPeerCertificate().subject.CN);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const answer = await new Promise<string>((resolve, reject) => {
      https
        .get({ host: '127.0.0.1', port: (server.address() as net.AddressInfo).port, ca, ...pair('admin') }, (response) => {
          response.setEncoding('utf8').on('data', resolve);
        })
        .on('error', reject);
    });
    server.close();
    expect(answer).to.equal('kubernetes-admin');
  });

  it('uses the same files again', async () => {
    const before = fs.readFileSync(path.join(directory, 'admin.crt'), 'utf8');
    const { written } = await ensurePki(directory, members);
    expect(written).to.deep.equal([]);
    expect(fs.readFileSync(path.join(directory, 'admin.crt'), 'utf8')).to.equal(before);
  });

  it('replaces a damaged certificate, one whose key is another, and adds those of new replicas', async () => {
    fs.writeFileSync(path.join(directory, 'admin.crt'), 'not a certificate');
    fs.copyFileSync(path.join(directory, 'raft-r2.key'), path.join(directory, 'raft-r1.key'));
    const { written } = await ensurePki(directory, [...members, 'r4', 'r5']);
    expect(written).to.have.members(['admin.crt', 'raft-r1.crt', 'raft-r4.crt', 'raft-r5.crt']);
  });

  it('tells why a certificate cannot be used any longer', async () => {
    const authority = await createAuthority('one');
    const other = await createAuthority('two');
    const request = peerRequest('r1');
    const pair = await issueCertificate(authority, request);
    expect(whyUnfit(pair, { request, authority })).to.equal(null);
    expect(whyUnfit(pair, { request, authority: other })).to.equal('another authority signed it');
    expect(whyUnfit(pair, { request: peerRequest('r2'), authority })).to.equal('it names another subject');
    expect(whyUnfit(pair, { request: { ...request, dnsNames: ['r1.raft', 'more'] }, authority })).to.equal('it lacks the names more');
  });

  it('embeds everything in the kubeconfig', () => {
    const files = { certFile: path.join(directory, 'admin.crt'), keyFile: path.join(directory, 'admin.key') };
    const config = parse(
      kubeconfig({ server: 'https://127.0.0.1:6443', caFile: path.join(directory, 'ca.crt'), user: 'kubernetes-admin', client: files }),
    ) as {
      clusters: { cluster: Record<string, string> }[];
      users: { user: Record<string, string> }[];
      contexts: { name: string }[];
      'current-context': string;
    };
    expect(config.clusters[0]?.cluster['server']).to.equal('https://127.0.0.1:6443');
    expect(Buffer.from(config.users[0]?.user['client-key-data'] ?? '', 'base64').toString()).to.contain('PRIVATE KEY');
    expect(config.contexts[0]?.name).to.equal(config['current-context']);
  });
});
