import 'reflect-metadata';
import { X509Certificate, generateKeyPairSync, webcrypto } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import * as x509 from '@peculiar/x509';
import { expect } from 'chai';
import { createAuthority } from '../../../../deploy/certificates.js';
import { subjectAccessReviews } from '../../../../api/types/authorization/v1.js';
import { type CertificateSigningRequest, certificateSigningRequests } from '../../../../api/types/certificates/v1.js';
import { approvingController } from '../../../../controllers/certificates/approvingController.js';
import { requestCleaner } from '../../../../controllers/certificates/requestCleaner.js';
import { staleness } from '../../../../controllers/certificates/requestState.js';
import { signers, type Request } from '../../../../controllers/certificates/signers.js';
import { signingController } from '../../../../controllers/certificates/signingController.js';
import { durationMs, validityOf } from '../../../../controllers/certificates/validity.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';

const client = ['client auth', 'digital signature', 'key encipherment'];
const serving = ['server auth', 'digital signature', 'key encipherment'];
const hourMs = 3_600_000;
const minuteMs = 60_000;

async function pem(name: string, dns: readonly string[] = []): Promise<string> {
  const keys = (await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
    'verify',
  ])) as webcrypto.CryptoKeyPair;
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name,
    keys,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions: dns.length > 0 ? [new x509.SubjectAlternativeNameExtension(dns.map((value) => ({ type: 'dns', value })))] : [],
  });
  return Buffer.from(request.toString('pem')).toString('base64');
}

const csr = (spec: CertificateSigningRequest['spec'], approved = false, name = 'r'): CertificateSigningRequest => ({
  metadata: { name },
  spec,
  ...(approved ? { status: { conditions: [{ type: 'Approved', status: 'True', lastUpdateTime: '2026-01-01T00:00:00Z' }] } } : {}),
});

describe('requests for certificates', () => {
  const node: Request = {
    commonName: 'system:node:a',
    organizations: ['system:nodes'],
    dnsNames: [],
    ipAddresses: [],
    emails: [],
    uris: [],
    usages: client,
  };
  const host = { ...node, dnsNames: ['a'], usages: serving };
  const cases: readonly (readonly [string, string, Request, string | null])[] = [
    ['kubernetes.io/kube-apiserver-client-kubelet', 'of a node', node, null],
    ['kubernetes.io/kube-apiserver-client-kubelet', 'without encipherment', { ...node, usages: client.slice(0, 2) }, null],
    ['kubernetes.io/kube-apiserver-client-kubelet', 'of somebody else', { ...node, commonName: 'a' }, 'subject common name'],
    [
      'kubernetes.io/kube-apiserver-client-kubelet',
      'of another group too',
      { ...node, organizations: ['system:nodes', 'b'] },
      'organization',
    ],
    ['kubernetes.io/kube-apiserver-client-kubelet', 'with a host', { ...node, dnsNames: ['a'] }, 'DNS'],
    ['kubernetes.io/kube-apiserver-client-kubelet', 'to serve', { ...node, usages: serving }, 'usages'],
    ['kubernetes.io/kubelet-serving', 'of a node', host, null],
    ['kubernetes.io/kubelet-serving', 'without host', { ...host, dnsNames: [] }, 'required'],
    ['kubernetes.io/kubelet-serving', 'with an address of mail', { ...host, emails: ['a@b'] }, 'Email'],
    ['kubernetes.io/kubelet-serving', 'to ask', { ...host, usages: client }, 'usages'],
    ['kubernetes.io/kube-apiserver-client', 'of anybody', { ...node, commonName: 'ada', organizations: [] }, null],
    ['kubernetes.io/kube-apiserver-client', 'to serve too', { ...node, usages: [...client, 'server auth'] }, 'server auth'],
    ['kubernetes.io/kube-apiserver-client', 'to ask nobody', { ...node, usages: ['digital signature'] }, 'missing required usage'],
    ['kubernetes.io/legacy-unknown', 'for anything', { ...node, usages: ['code signing'] }, null],
    ['kubernetes.io/legacy-unknown', 'of a replica', { ...node, dnsNames: ['a', 'r2.raft'] }, 'for replicas'],
    ['kubernetes.io/kube-apiserver-client', 'of a replica', { ...node, commonName: 'r2', dnsNames: ['R2.Raft.'] }, 'for replicas'],
    ['kubernetes.io/kube-apiserver-client', 'in the name of a replica', { ...node, commonName: 'r2.raft' }, 'for replicas'],
    ['kubernetes.io/kubelet-serving', 'of a replica', { ...host, dnsNames: ['r2.raft'] }, 'for replicas'],
  ];
  for (const [name, what, request, wanted] of cases)
    it(`to ${name} ${what}`, () => {
      const refusal = signers.find((signer) => signer.name === name)?.refusal(request);
      if (wanted === null) expect(refusal).to.equal(null);
      else expect(refusal).to.contain(wanted);
    });

  it('get as long as they ask, within bounds', () => {
    expect([undefined, 60, 3_600, 7_200].map((seconds) => durationMs(seconds, hourMs))).to.deep.equal([
      hourMs,
      10 * minuteMs,
      hourMs,
      hourMs,
    ]);
  });

  it('get nothing that outlives the authority', () => {
    expect(validityOf(0, { livesMs: hourMs, authorityEnds: 30 * minuteMs })).to.deep.equal({
      notBefore: -5 * minuteMs,
      notAfter: 30 * minuteMs,
    });
    expect(validityOf(0, { livesMs: hourMs, authorityEnds: 24 * hourMs }).notAfter).to.equal(hourMs);
    expect(validityOf(0, { livesMs: 24 * hourMs, authorityEnds: 48 * hourMs }).notAfter).to.equal(24 * hourMs - 5 * minuteMs);
    expect(() => validityOf(2, { livesMs: hourMs, authorityEnds: 1 })).to.throw('expired');
  });

  it('are over after a while', () => {
    const at = Date.parse('2026-01-01T00:00:00Z');
    const of = (type: string, certificate?: string): CertificateSigningRequest => ({
      metadata: { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { signerName: 's' },
      status: {
        ...(type ? { conditions: [{ type, status: 'True', lastUpdateTime: '2026-01-01T00:00:00Z' }] } : {}),
        ...(certificate === undefined ? {} : { certificate }),
      },
    });
    const table = [
      [of('Approved', 'eA=='), 'issued'],
      [of('Denied'), 'denied'],
      [of('Failed'), 'failed'],
    ] as const;
    for (const [request, why] of table) {
      expect(staleness(request, at + hourMs)).to.equal(null);
      expect(staleness(request, at + hourMs + 1)).to.equal(why);
    }
    expect(staleness(of(''), at + 24 * hourMs)).to.equal(null);
    expect(staleness(of(''), at + 24 * hourMs + 1)).to.equal('pending');
    expect(staleness(of('Approved'), at + 48 * hourMs)).to.equal(null);
  });
});

describe('the signing controller', () => {
  let world: ControllerWorld;
  let authority: X509Certificate;
  let certFile: string;
  let flags: string[];
  before(async () => {
    const directory = temporaryDirectory('signing');
    const { certificate, key } = await createAuthority('the authority');
    certFile = path.join(directory, 'ca.crt');
    fs.writeFileSync(certFile, certificate);
    fs.writeFileSync(path.join(directory, 'ca.key'), key);
    authority = new X509Certificate(certificate);
    flags = [`--cluster-signing-cert-file=${certFile}`, `--cluster-signing-key-file=${path.join(directory, 'ca.key')}`];
  });
  beforeEach(() => {
    world = controllerWorld({ flags });
  });
  afterEach(() => world.stop());
  const after = async (name = 'r'): Promise<CertificateSigningRequest['status']> => {
    // Key operations run in platform threads, independent of the fake clock.
    let status = world.api.peek(certificateSigningRequests, name)?.status;
    while (!status?.certificate && !status?.conditions?.some(({ type }) => type === 'Failed')) {
      await new Promise((resolve) => setImmediate(resolve));
      status = world.api.peek(certificateSigningRequests, name)?.status;
    }
    return status;
  };

  it('signs what is approved, for as long as it asks', async () => {
    // Only durations are compared, because the library uses the machine's clock.
    world.api.seed(
      certificateSigningRequests,
      csr(
        {
          signerName: 'kubernetes.io/kube-apiserver-client',
          usages: client,
          request: await pem('CN=ada, O=maths'),
          expirationSeconds: 1_200,
        },
        true,
      ),
    );
    await world.start(signingController);
    const signed = new X509Certificate(Buffer.from((await after())?.certificate ?? '', 'base64'));
    expect(signed.verify(authority.publicKey)).to.equal(true);
    expect(signed.checkIssued(authority)).to.equal(true);
    expect(signed.subject.split('\n')).to.have.members(['CN=ada', 'O=maths']);
    expect(Date.parse(signed.validTo) - Date.parse(signed.validFrom)).to.equal((1_200 + 300) * 1000);
    expect(signed.keyUsage).to.deep.equal(['1.3.6.1.5.5.7.3.2']);
    expect(signed.ca).to.equal(false);
  });

  it('says why it does not', async () => {
    world.api.seed(
      certificateSigningRequests,
      csr({ signerName: 'kubernetes.io/kubelet-serving', usages: serving, request: await pem('CN=ada', ['a']) }, true),
    );
    await world.start(signingController);
    expect((await after())?.conditions?.[1]).to.include({
      type: 'Failed',
      status: 'True',
      reason: 'SignerValidationFailure',
      message: 'subject organization is not system:nodes',
    });
  });

  it('leaves alone what nobody approved, what was denied, and what others sign', async () => {
    const request = await pem('CN=ada');
    const spec = { signerName: 'kubernetes.io/kube-apiserver-client', usages: client, request };
    const denied = csr(spec, true, 'denied');
    world.api.seed(certificateSigningRequests, csr(spec), csr({ ...spec, signerName: 'example.com/s' }, true, 'other'), {
      ...denied,
      status: { conditions: [...(denied.status?.conditions ?? []), { type: 'Denied', status: 'True' }] },
    });
    await world.start(signingController);
    expect(await world.writes()).to.deep.equal([]);
    expect(world.errors).to.deep.equal([]);
  });

  it('has nothing to do without authorities', () => {
    const other = controllerWorld();
    expect(signingController(other.environment)).to.equal(null);
  });

  it('signs for the signers alone whose authority is given', async () => {
    const keyFile = path.join(path.dirname(certFile), 'rsa.key');
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    fs.writeFileSync(keyFile, rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }));
    const rsaWorld = controllerWorld({
      flags: [
        `--cluster-signing-kube-apiserver-client-cert-file=${certFile}`,
        `--cluster-signing-kube-apiserver-client-key-file=${keyFile}`,
      ],
    });
    await world.stop();
    world = rsaWorld;
    const request = await pem('CN=ada');
    world.api.seed(
      certificateSigningRequests,
      csr({ signerName: 'kubernetes.io/kube-apiserver-client', usages: client, request }, true),
      csr({ signerName: 'kubernetes.io/legacy-unknown', usages: client, request }, true, 'legacy'),
    );
    await world.start(signingController);
    const signed = new X509Certificate(Buffer.from((await after())?.certificate ?? '', 'base64'));
    expect(signed.verify(rsa.publicKey)).to.equal(true);
    expect(world.api.peek(certificateSigningRequests, 'legacy')?.status?.certificate).to.equal(undefined);
  });
});

describe('the approving controller', () => {
  const reviewed = async (username: string, allowed: readonly string[]): Promise<{ asked: string[]; conditions: unknown }> => {
    const world = controllerWorld();
    const asked: string[] = [];
    const { api } = world;
    const create = api.create.bind(api);
    api.create = async (type, object) => {
      if (type.resource !== subjectAccessReviews.resource) return create(type, object);
      const { spec } = object as unknown as { spec: { user: string; resourceAttributes: { subresource: string } } };
      asked.push(`${spec.user} ${spec.resourceAttributes.subresource}`);
      return { ...object, status: { allowed: allowed.includes(spec.resourceAttributes.subresource) } };
    };
    api.seed(
      certificateSigningRequests,
      csr({
        signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
        usages: client,
        username,
        request: await pem('CN=system:node:a, O=system:nodes'),
      }),
    );
    await world.start(approvingController);
    await world.settled();
    const conditions = world.api.peek(certificateSigningRequests, 'r')?.status?.conditions?.map(({ reason, message }) => [reason, message]);
    await world.stop();
    return { asked, conditions };
  };

  it('lets a node renew its own', async () =>
    expect(await reviewed('system:node:a', ['selfnodeclient'])).to.deep.equal({
      asked: ['system:node:a selfnodeclient'],
      conditions: [['AutoApproved', 'Auto approving self kubelet client certificate after SubjectAccessReview.']],
    }));
  it('lets others bring nodes in, who may', async () =>
    expect(await reviewed('boot', ['nodeclient'])).to.deep.equal({
      asked: ['boot nodeclient'],
      conditions: [['AutoApproved', 'Auto approving kubelet client certificate after SubjectAccessReview.']],
    }));
  it('leaves to humans whom nothing allows', async () =>
    expect((await reviewed('boot', ['selfnodeclient'])).conditions).to.equal(undefined));
});

describe('the cleaner of requests', () => {
  it('removes what is over', async () => {
    const world = controllerWorld();
    world.api.seed(certificateSigningRequests, csr({ signerName: 's' }), csr({ signerName: 's' }, true, 'kept'));
    await world.start(requestCleaner);
    expect(await world.writes()).to.deep.equal([]);
    await world.advance(26 * hourMs);
    expect((await world.writes()).map(({ verb, key }) => [verb, key])).to.deep.equal([['delete', 'r']]);
    await world.stop();
  });
});
