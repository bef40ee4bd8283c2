import 'reflect-metadata';
import { expect } from 'chai';
import { constants, generateKeyPairSync, sign, webcrypto, X509Certificate, type KeyObject } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { JsonObject } from '../../../../../api/object.js';
import { certificateGuards } from '../../../../../server/authorization/certificates.js';
import { podCertificateRequests } from '../../../../../server/kinds/certificates.k8s.io/podCertificateRequests.js';
import { causes, createSample, refusal, type Sample } from '../../registry/sample.js';

/** Certificate requests of pods, and signers' status. Their versions are off by default, without recordings. */

const minute = 60_000;
const pod = { podUID: 'pod-uid', serviceAccountUID: 'account-uid', nodeUID: 'node-uid' };
const names = { podName: 'p', serviceAccountName: 'default', nodeName: 'n' };

interface Pair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}
const curve = (namedCurve: string): Pair => generateKeyPairSync('ec', { namedCurve });
const rsa = (modulusLength: number): Pair => generateKeyPairSync('rsa', { modulusLength });
const pair = curve('P-256');

const der = (key: KeyObject): string => key.export({ type: 'spki', format: 'der' }).toString('base64');
function proof({ privateKey }: Pair, text: string): string {
  const bytes = Buffer.from(text);
  if (privateKey.asymmetricKeyType === 'ed25519') return sign(null, bytes, privateKey).toString('base64');
  const padding =
    privateKey.asymmetricKeyType === 'rsa'
      ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
      : {};
  return sign('sha256', bytes, { key: privateKey, ...padding }).toString('base64');
}
const bare = (keys: Pair): JsonObject => ({ pkixPublicKey: der(keys.publicKey), proofOfPossession: proof(keys, pod.podUID) });

const request = (spec: JsonObject = bare(pair)): JsonObject => ({
  apiVersion: 'certificates.k8s.io/v1beta1',
  kind: 'PodCertificateRequest',
  metadata: { name: 'r' },
  spec: { signerName: 'example.com/s', ...pod, ...names, ...spec },
});

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
async function webKeys({ publicKey, privateKey }: Pair): Promise<webcrypto.CryptoKeyPair> {
  const { subtle } = webcrypto;
  return {
    publicKey: await subtle.importKey('spki', publicKey.export({ type: 'spki', format: 'der' }), algorithm, true, ['verify']),
    privateKey: await subtle.importKey('pkcs8', privateKey.export({ type: 'pkcs8', format: 'der' }), algorithm, true, ['sign']),
  };
}
interface Leaf {
  readonly keys?: Pair;
  readonly begin?: number;
  readonly minutes?: number;
  readonly dns?: string;
}
async function certificate({ keys = pair, begin = Date.now(), minutes = 120, dns = 'p.example' }: Leaf = {}): Promise<string> {
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=p',
    keys: await webKeys(keys),
    signingAlgorithm: algorithm,
    notBefore: new Date(begin),
    notAfter: new Date(begin + minutes * minute),
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: dns }])],
  });
  return `${made.toString('pem')}\n`;
}
async function stub(keys: Pair): Promise<string> {
  const made = await x509.Pkcs10CertificateRequestGenerator.create({ name: '', keys: await webKeys(keys), signingAlgorithm: algorithm });
  return Buffer.from(made.rawData).toString('base64');
}

const ended = (type: string, more: JsonObject = {}): JsonObject => ({
  type,
  status: 'True',
  reason: 'R',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  ...more,
});
const timeAt = (text: string, afterMs: number): string => new Date(Date.parse(text) + afterMs).toISOString().replace(/\.\d+/, '');
/** The status of a request with these certificates. */
function issued(chain: string): JsonObject {
  const { validFrom, validTo } = new X509Certificate(chain);
  return {
    conditions: [ended('Issued')],
    certificateChain: chain,
    notBefore: timeAt(validFrom, 0),
    notAfter: timeAt(validTo, 0),
    beginRefreshAt: timeAt(validFrom, 30 * minute),
  };
}

describe('registry, certificates of pods', () => {
  let sample: Sample;
  before(() => {
    x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0]);
  });
  beforeEach(async () => {
    sample = await createSample();
  });

  const accepted: readonly (readonly [what: string, keys: Pair])[] = [
    ['P-256', pair],
    ['P-521', curve('P-521')],
    ['Ed25519', generateKeyPairSync('ed25519')],
    ['RSA', rsa(3072)],
  ];
  for (const [what, keys] of accepted)
    it(`are made for keys of the kind ${what}`, async () => {
      await sample.create(request(bare(keys)));
    });
  it('are made for keys in requests of their own, which carry their proof', async () => {
    await sample.create(request({ stubPKCS10Request: await stub(pair) }));
  });
  it('are valid for a day where nobody asks for less', async () => {
    const { spec } = await sample.create(request());
    expect((spec as JsonObject)['maxExpirationSeconds']).to.equal(86_400);
  });

  const long = Buffer.alloc(10 * 1024 + 1).toString('base64');
  const refused: readonly (readonly [what: string, spec: JsonObject, field: string, message: string])[] = [
    ['no key', {}, 'pkixPublicKey', 'Invalid value: "": must be a valid PKIX-serialized public key'],
    ['a key that is none', { pkixPublicKey: 'AAAA' }, 'pkixPublicKey', 'Invalid value: "AAAA": must be a valid PKIX-serialized public key'],
    ['a long key', { pkixPublicKey: long }, 'pkixPublicKey', 'Too long: may not be more than 10240 bytes'],
    ['a long proof', { ...bare(pair), proofOfPossession: long }, 'proofOfPossession', 'Too long: may not be more than 10240 bytes'],
    ['a short key', bare(rsa(2048)), 'pkixPublicKey', 'Invalid value: "2048-bit modulus": RSA keys must have modulus size 3072 or 4096'],
    [
      'a weak curve',
      bare(curve('secp224r1')),
      'pkixPublicKey',
      'Invalid value: "curve P-224": elliptic public keys must use curve P256 or P384',
    ],
    [
      'the proof of another pod',
      { ...bare(pair), proofOfPossession: proof(pair, 'other') },
      'proofOfPossession',
      'Invalid value: could not verify proof-of-possession signature',
    ],
  ];
  for (const [what, spec, field, message] of refused)
    it(`are not made for ${what}`, async () => {
      const { details } = await refusal(sample.create(request(spec)));
      expect(details?.causes?.map((cause) => [cause.field, cause.message])).to.deep.equal([[`spec.${field}`, message]]);
    });
  it('are not made for a request whose signature is another', async () => {
    const broken = Buffer.from(await stub(pair), 'base64');
    broken.writeUInt8(broken.readUInt8(broken.length - 1) ^ 1, broken.length - 1);
    expect(await causes(sample.create(request({ stubPKCS10Request: broken.toString('base64') })))).to.deep.equal([
      'invalid spec.stubPKCS10Request',
    ]);
  });
  it('are not made for two keys', async () => {
    expect(await causes(sample.create(request({ ...bare(pair), stubPKCS10Request: await stub(pair) })))).to.deep.equal(['invalid spec']);
  });

  const answering = async (status: JsonObject): Promise<string[]> => {
    await sample.create(request());
    return causes(
      sample.update(
        request(),
        (object) => {
          object['status'] = status;
        },
        'status',
      ),
    );
  };

  it('are handed out with times that agree with them', async () => {
    const chain = await certificate();
    expect(await answering(issued(chain + chain))).to.deep.equal([]);
  });
  const wrong: readonly (readonly [what: string, status: () => Promise<JsonObject>, expected: readonly string[]])[] = [
    ['without a condition', async () => ({ certificateChain: await certificate() }), ['invalid status']],
    ['empty', async () => ({ ...issued(await certificate()), certificateChain: '' }), ['invalid status.certificateChain']],
    [
      'that are none',
      async () => ({ ...issued(await certificate()), certificateChain: (await certificate()).replaceAll('CERTIFICATE', 'OTHER') }),
      ['invalid status.certificateChain'],
    ],
    ['for another key', async () => issued(await certificate({ keys: curve('P-256') })), ['invalid status.certificateChain']],
    [
      'without times',
      async () => ({ conditions: [ended('Issued')], certificateChain: await certificate() }),
      ['required status.notBefore', 'required status.notAfter', 'required status.beginRefreshAt'],
    ],
    [
      'with another begin',
      async () => ({ ...issued(await certificate()), notBefore: '2026-01-01T00:00:00Z' }),
      ['invalid status.notBefore'],
    ],
    ['of yesterday', async () => issued(await certificate({ begin: Date.now() - 20 * minute })), ['invalid status.notBefore']],
    ['with another end', async () => ({ ...issued(await certificate()), notAfter: '2026-01-01T00:00:00Z' }), ['invalid status.notAfter']],
    ['of half an hour', async () => issued(await certificate({ minutes: 30 })), ['invalid status.certificateChain']],
    ['of two days', async () => issued(await certificate({ minutes: 2880 })), ['invalid status.certificateChain']],
    [
      'that are to be renewed at once',
      async () => {
        const status = issued(await certificate());
        return { ...status, beginRefreshAt: status['notBefore'] ?? null };
      },
      ['invalid status.beginRefreshAt'],
    ],
    [
      'that are to be renewed too late',
      async () => {
        const status = issued(await certificate());
        return { ...status, beginRefreshAt: status['notAfter'] ?? null };
      },
      ['invalid status.beginRefreshAt'],
    ],
    [
      'with names that cannot be',
      async () => issued(await certificate({ dns: 'a..b.' })),
      Array<string>(2).fill('invalid status.certificateChain'),
    ],
    [
      'before others that are none',
      async () => {
        const chain = await certificate();
        return { ...issued(chain), certificateChain: chain + chain.replaceAll('CERTIFICATE', 'OTHER') };
      },
      ['invalid status.certificateChain'],
    ],
    ['while denied', async () => ({ ...issued(await certificate()), conditions: [ended('Denied')] }), ['invalid status']],
    [
      'in two states',
      async () => ({ ...issued(await certificate()), conditions: [ended('Issued'), ended('Failed', { status: 'False' }), ended('Other')] }),
      ['invalid status.conditions.[1].type', 'unsupported status.conditions.[1].status', 'unsupported status.conditions.[2].type'],
    ],
  ];
  for (const [what, status, expected] of wrong)
    it(`are not handed out ${what}`, async () => {
      expect(await answering(await status())).to.deep.equal(expected);
    });
  it('are refused for good', async () => {
    expect(await answering({ conditions: [ended('Denied')] })).to.deep.equal([]);
    const again = sample.update(
      request(),
      (object) => {
        object['status'] = { conditions: [ended('Failed')] };
      },
      'status',
    );
    const { details } = await refusal(again);
    expect(details?.causes?.map(({ message }) => message)).to.deep.equal([
      'Invalid value: immutable after PodCertificateRequest is issued, denied, or failed',
    ]);
  });
  it('are selected by the node that asks, as a kubelet may watch no others', () => {
    const { fields } = podCertificateRequests;
    expect(Object.keys(fields?.values ?? {})).to.deep.equal(['spec.signerName', 'spec.podName', 'spec.nodeName']);
    const made = request() as Parameters<NonNullable<typeof fields>['values'][string]>[0];
    expect(fields?.values['spec.nodeName']?.(made)).to.equal(names.nodeName);
  });
  it('are handed out by those who may sign', async () => {
    sample = await createSample({
      admission: true,
      guards: () => certificateGuards(() => Promise.resolve({ decision: 'noOpinion', reason: '' })),
    });
    expect(await answering({ conditions: [ended('Denied')] })).to.deep.equal(['forbidden spec.signerName']);
  });
});

describe('registry, bundles of trust', () => {
  const bundle = (trustBundle: string): JsonObject => ({
    apiVersion: 'certificates.k8s.io/v1beta1',
    kind: 'ClusterTrustBundle',
    metadata: { name: 'b' },
    spec: { trustBundle },
  });
  const messages = async (text: string): Promise<string[]> =>
    ((await refusal((await createSample()).create(bundle(text)))).details?.causes ?? []).map(({ message = '' }) =>
      message.replace(/^.*("|long): /, ''),
    );
  let anchor: string;
  before(async () => {
    const made = await x509.X509CertificateGenerator.createSelfSigned({
      name: 'CN=ca',
      keys: await webKeys(pair),
      signingAlgorithm: algorithm,
      extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
    });
    anchor = `${made.toString('pem')}\n`;
  });

  it('hold authorities', async () => {
    expect(await messages(await certificate())).to.deep.equal(['entry 0 does not have the CA bit set']);
  });
  it('hold something', async () => {
    expect(await messages('')).to.deep.equal(['at least one trust anchor must be provided']);
  });
  it('hold each authority once, which is reported when all else is right', async () => {
    expect(await messages(anchor + anchor + anchor)).to.deep.equal(['duplicate trust anchor (indices [0 1 2])']);
    expect(await messages(anchor + anchor + anchor.replaceAll('CERTIFICATE', 'KEY'))).to.deep.equal(['entry 2 has bad block type: KEY']);
  });
  it('are not long', async () => {
    expect(await messages('ä'.repeat(512 * 1024 + 1))).to.deep.equal(['may not be more than 1048576 bytes']);
  });
  it('keep a name that tells of the signer', async () => {
    const sample = await createSample();
    await sample.create(bundle(anchor));
    const change = sample.update(bundle(anchor), (object) => {
      (object['spec'] as JsonObject)['signerName'] = 'x';
    });
    expect(await causes(change)).to.deep.equal(['invalid metadata.name', 'invalid spec.signerName', 'invalid spec.signerName']);
  });
});
