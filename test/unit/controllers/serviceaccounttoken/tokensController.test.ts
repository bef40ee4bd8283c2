import { expect } from 'chai';
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { type Secret, secrets, type ServiceAccount, serviceAccounts } from '../../../../api/types/core/v1.js';
import { claimsFor, gapsIn } from '../../../../controllers/serviceaccounttoken/plan.js';
import { signerWith } from '../../../../controllers/serviceaccounttoken/signer.js';
import { TokensController, tokensController } from '../../../../controllers/serviceaccounttoken/tokensController.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';
import type { Write } from '../../../fixtures/memoryApi.js';

const encoded = (text: string): string => Buffer.from(text).toString('base64');
const type = 'kubernetes.io/service-account-token';
const secret = (name: string, annotations: Record<string, string>, data?: Secret['data']): Secret => ({
  metadata: { name, namespace: 'n', uid: `uid of ${name}`, annotations },
  type,
  ...(data ? { data } : {}),
});
const account = (...listed: string[]): ServiceAccount => ({
  metadata: { name: 'bot', namespace: 'n', uid: 'ub' },
  ...(listed.length > 0 ? { secrets: listed.map((name) => ({ name })) } : {}),
});
const ofBot = { 'kubernetes.io/service-account.name': 'bot' };
const boundToBot = { ...ofBot, 'kubernetes.io/service-account.uid': 'ub' };
const whole = { 'ca.crt': encoded('CA'), namespace: encoded('n'), token: encoded('t') };
const lines = (writes: readonly Write[]): readonly string[] => writes.map(({ verb, type: of, key }) => `${verb} ${of} ${key}`);

describe('controllers/serviceaccounttoken/plan', () => {
  const cases: readonly (readonly [string, Secret['data'], string | null, ReturnType<typeof gapsIn>])[] = [
    ['all is missing', undefined, 'CA', { authority: true, namespace: true, token: true }],
    ['all is there', whole, 'CA', null],
    ['another authority', whole, 'new', { authority: true, namespace: false, token: false }],
    ['nobody knows the authority', whole, null, null],
    ['an empty token', { ...whole, token: '' }, 'CA', { authority: false, namespace: false, token: true }],
  ];
  for (const [about, data, authority, wanted] of cases)
    it(about, () => expect(gapsIn(secret('s', ofBot, data), authority)).to.deep.equal(wanted));

  it('makes the claims that servers expect of tokens without end', () =>
    expect(claimsFor(account(), secret('s', ofBot))).to.deep.equal({
      iss: 'kubernetes/serviceaccount',
      'kubernetes.io/serviceaccount/namespace': 'n',
      'kubernetes.io/serviceaccount/secret.name': 's',
      'kubernetes.io/serviceaccount/service-account.name': 'bot',
      'kubernetes.io/serviceaccount/service-account.uid': 'ub',
      sub: 'system:serviceaccount:n:bot',
    }));
});

describe('controllers/serviceaccounttoken/signer', () => {
  const pem = { format: 'pem' } as const;
  const keys = [
    [
      'RS256',
      generateKeyPairSync('rsa', {
        modulusLength: 2048,
        privateKeyEncoding: { type: 'pkcs1', ...pem },
        publicKeyEncoding: { type: 'spki', ...pem },
      }),
    ],
    [
      'ES256',
      generateKeyPairSync('ec', {
        namedCurve: 'P-256',
        privateKeyEncoding: { type: 'sec1', ...pem },
        publicKeyEncoding: { type: 'spki', ...pem },
      }),
    ],
  ] as const;
  for (const [alg, { privateKey, publicKey }] of keys) {
    it(`signs with ${alg}`, () => {
      const [header = '', payload = '', signature = ''] = signerWith(privateKey)({ a: 'b' }).split('.');
      expect(JSON.parse(Buffer.from(header, 'base64url').toString()))
        .to.include({ alg })
        .and.to.have.property('kid')
        .with.length(43);
      expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).to.deep.equal({ a: 'b' });
      expect(
        verify(
          'sha256',
          Buffer.from(`${header}.${payload}`),
          { key: createPublicKey(publicKey), dsaEncoding: 'ieee-p1363' },
          Buffer.from(signature, 'base64url'),
        ),
      ).to.equal(true);
    });
  }
  it('refuses other keys', () =>
    expect(() =>
      signerWith(
        generateKeyPairSync('ed25519', { privateKeyEncoding: { type: 'pkcs8', ...pem }, publicKeyEncoding: { type: 'spki', ...pem } })
          .privateKey,
      ),
    ).to.throw('ed25519'));
});

describe('controllers/serviceaccounttoken/tokensController', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld({ rootCa: 'CA' });
  });
  afterEach(() => world.stop());
  const start = () => world.start((environment) => new TokensController(environment, (claims) => `signed ${Object.keys(claims).length}`));

  it('has nothing to do without a key', () => expect(tokensController(world.environment)).to.equal(null));

  it('begins without its key, and fails at a secret alone while that is away', async () => {
    const away = 'no-such-directory/sa.key';
    const options = { ...world.environment.options, 'service-account-private-key-file': away };
    world.api.seed(serviceAccounts, account());
    world.api.seed(secrets, secret('s', ofBot));
    await world.start((environment) => {
      const controller = tokensController({ ...environment, options });
      if (controller === null) throw new Error('there is a key to be read');
      return controller;
    });
    expect(await world.writes()).to.deep.equal([]);
  });

  it('fills a secret and binds it to the account that is there now', async () => {
    world.api.seed(serviceAccounts, account());
    world.api.seed(secrets, secret('s', ofBot));
    await start();
    expect(lines(await world.writes())).to.deep.equal(['update secrets n/s']);
    const found = world.api.peek(secrets, 'n/s');
    expect(found?.metadata.annotations).to.deep.equal(boundToBot);
    expect(found?.data).to.deep.equal({ 'ca.crt': encoded('CA'), namespace: encoded('n'), token: encoded('signed 6') });
  });

  it('leaves a complete secret alone, and follows the authority', async () => {
    world.api.seed(serviceAccounts, account());
    world.api.seed(secrets, secret('whole', boundToBot, whole), secret('old', boundToBot, { ...whole, 'ca.crt': encoded('former') }), {
      metadata: { name: 'other', namespace: 'n' },
      type: 'Opaque',
    });
    await start();
    expect(lines(await world.writes())).to.deep.equal(['update secrets n/old']);
    expect(world.api.peek(secrets, 'n/old')?.data).to.deep.equal(whole);
  });

  const orphans: readonly (readonly [string, Record<string, string>])[] = [
    ['of no account', { 'kubernetes.io/service-account.name': 'nobody' }],
    ['of a former account of the name', { ...ofBot, 'kubernetes.io/service-account.uid': 'former' }],
  ];
  for (const [about, annotations] of orphans) {
    it(`deletes a secret ${about}`, async () => {
      world.api.seed(serviceAccounts, account());
      world.api.seed(secrets, secret('s', annotations, whole));
      await start();
      expect(await world.writes()).to.deep.equal([
        { verb: 'delete', type: 'secrets', key: 'n/s', options: { preconditions: { uid: 'uid of s' } } },
      ]);
    });
  }

  it('asks the server for an account that the cache does not have yet', async () => {
    world.api.seed(secrets, secret('s', ofBot));
    world.api.before = ({ verb, type: of }) => {
      if (verb === 'get' && of === 'serviceaccounts' && world.api.all(serviceAccounts).length === 0)
        world.api.seed(serviceAccounts, account());
    };
    await start();
    expect(lines(await world.writes())).to.deep.equal(['update secrets n/s']);
  });

  it('deletes the secrets of an account that goes away', async () => {
    world.api.seed(serviceAccounts, account());
    world.api.seed(secrets, secret('s', boundToBot, whole), secret('t', { 'kubernetes.io/service-account.name': 'x' }, whole));
    world.api.seed(serviceAccounts, { metadata: { name: 'x', namespace: 'n', uid: 'ux' } });
    await start();
    world.api.evaporate(serviceAccounts, 'n/bot');
    expect(lines(await world.writes())).to.deep.equal(['delete secrets n/s']);
  });

  it('takes a deleted secret from the list of its account', async () => {
    world.api.seed(serviceAccounts, account('s', 'foreign'));
    world.api.seed(secrets, secret('s', boundToBot, whole));
    await start();
    world.api.evaporate(secrets, 'n/s');
    expect(lines(await world.writes())).to.deep.equal(['update serviceaccounts n/bot']);
    expect(world.api.peek(serviceAccounts, 'n/bot')?.secrets).to.deep.equal([{ name: 'foreign' }]);
  });
});
