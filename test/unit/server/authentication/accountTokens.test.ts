import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { SignJWT } from 'jose';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { payloadOf, type NewClaims } from '../../../../server/authentication/serviceaccount/claims.js';
import { createIssuer } from '../../../../server/authentication/serviceaccount/issuer.js';
import {
  readSigningKey,
  readVerificationKeys,
  type SigningKey,
  type VerificationKey,
} from '../../../../server/authentication/serviceaccount/keys.js';
import { createLookup } from '../../../../server/authentication/serviceaccount/lookup.js';
import { openIdDocuments } from '../../../../server/authentication/serviceaccount/openid.js';
import { secretTokens } from '../../../../server/authentication/serviceaccount/secretTokens.js';
import { accountTokenVerifier } from '../../../../server/authentication/serviceaccount/verifier.js';
import type { TokenAuthenticator } from '../../../../server/authentication/tokens/token.js';
import { createMemoryStorage, type MemoryStorage } from '../../../../server/storage/memory.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';

const issuer = 'https://cluster.test';
const now = 1_800_000_000;

const pem = (key: KeyObject): string => key.export({ type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'pem' }).toString();
const directory = temporaryDirectory('tokens');
const fileWith = (name: string, ...keys: KeyObject[]): string => {
  const file = join(directory, name);
  writeFileSync(file, keys.map(pem).join('\n'));
  return file;
};

const object = (name: string, uid: string, namespace = 'ns'): ApiObject => ({ metadata: { name, uid, namespace } });
const put = async (storage: MemoryStorage, resource: string, { metadata }: ApiObject): Promise<void> => {
  const result = await storage.create(
    { resource: { group: '', resource }, namespace: metadata.namespace ?? '', name: metadata.name ?? '' },
    { apiVersion: 'v1', kind: 'X', metadata },
    { timeoutMs: 1000 },
  );
  expect(result.outcome).to.equal('applied');
};

describe('authentication/serviceaccount', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  let signing: SigningKey;
  let keys: VerificationKey[];
  let storage: MemoryStorage;
  let verify: TokenAuthenticator;
  let clock = now;

  before(() => {
    signing = readSigningKey(fileWith('sa.key', rsa.privateKey), '--key');
    keys = readVerificationKeys([fileWith('keys.pem', curve.publicKey, rsa.publicKey)], '--keys');
  });
  beforeEach(async () => {
    clock = now;
    storage = createMemoryStorage();
    await put(storage, 'serviceaccounts', object('robot', 'u1'));
    await put(storage, 'pods', object('web', 'u2'));
    await put(storage, 'secrets', object('hidden', 'u3'));
    verify = accountTokenVerifier({
      issuers: [issuer, 'https://old.test'],
      keys: { current: keys },
      audiences: [issuer],
      lookup: createLookup(storage),
      now: () => clock,
    });
  });

  const payload = (more: Partial<NewClaims> = {}): JsonObject =>
    payloadOf({
      id: 'j1',
      issuer,
      audiences: [issuer],
      now,
      lifetimeSeconds: 600,
      warnAfterSeconds: null,
      account: object('robot', 'u1'),
      pod: null,
      secret: null,
      node: null,
      ...more,
    });
  const issued = (more: Partial<NewClaims> = {}): Promise<string> => createIssuer(issuer, signing).sign(payload(more));
  const outcome = async (token: string, audiences = [issuer]): Promise<string> => {
    const result = await verify(token, audiences);
    return result.outcome === 'invalid' ? result.reason : result.outcome;
  };
  const signedWith = (key: KeyObject, header: { alg: string; kid?: string }, claims: JsonObject = payload()): Promise<string> =>
    new SignJWT(claims).setProtectedHeader(header).sign(key);
  const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

  it('knows an account by the token issued for it', async () => {
    const token = await issued({ audiences: [issuer, 'other'], pod: object('web', 'u2'), node: { metadata: { name: 'n' } } });
    expect(await verify(token, ['x', 'other'])).to.deep.equal({
      outcome: 'user',
      audiences: ['other'],
      user: {
        name: 'system:serviceaccount:ns:robot',
        uid: 'u1',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
        extra: {
          'authentication.kubernetes.io/credential-id': ['JTI=j1'],
          'authentication.kubernetes.io/node-name': ['n'],
          'authentication.kubernetes.io/pod-name': ['web'],
          'authentication.kubernetes.io/pod-uid': ['u2'],
        },
      },
    });
  });

  it('verifies with a key on a curve, and by any of the issuers', async () => {
    expect(await outcome(await signedWith(curve.privateKey, { alg: 'ES256' }, { ...payload(), iss: 'https://old.test' }))).to.equal('user');
  });

  it('tells of a token whose client should have fetched another one', async () => {
    const counted: string[] = [];
    const counting = accountTokenVerifier({
      issuers: [issuer],
      keys: { current: keys },
      audiences: [issuer],
      lookup: createLookup(storage),
      now: () => clock,
      count: (kind) => counted.push(kind),
    });
    const reported = async (warnAfterSeconds: number | null, laterSeconds: number): Promise<unknown> => {
      clock = now + laterSeconds;
      const answer = await counting(await issued({ warnAfterSeconds }), [issuer]);
      return answer.outcome === 'user' ? (answer.notes?.[0] ?? null) : answer;
    };
    expect(await reported(null, 50)).to.equal(null);
    const never = { ...(payload()['kubernetes.io'] as JsonObject), warnafter: 0 };
    const endless = await signedWith(rsa.privateKey, { alg: 'RS256' }, { ...payload(), 'kubernetes.io': never });
    expect(await counting(endless, [issuer]))
      .to.include({ outcome: 'user' })
      .and.not.have.property('notes');
    expect(await reported(30, 30)).to.equal(null);
    expect(await reported(30, 50)).to.deep.equal({
      key: 'authentication.k8s.io/stale-token',
      text: 'subject: system:serviceaccount:ns:robot, seconds after warning threshold: 20',
    });
    expect(counted).to.deep.equal(['valid', 'stale']);
  });

  describe('refuses', () => {
    it('a token whose time is over, with a minute for clocks that differ', async () => {
      const token = await issued();
      clock = now + 659;
      expect(await outcome(token)).to.equal('user');
      clock = now + 661;
      expect(await outcome(token)).to.equal('service account token has expired');
    });
    it('a token whose time has not come', async () => {
      clock = now - 61;
      expect(await outcome(await issued())).to.equal('service account token is not valid yet');
    });
    it('a token whose times are none', async () => {
      for (const times of [{ exp: 'never' }, { exp: [10 ** 12] }, { nbf: '0' }, { iat: {} }]) {
        expect(
          await outcome(await signedWith(curve.privateKey, { alg: 'ES256' }, { ...payload(), ...times })),
          JSON.stringify(times),
        ).not.to.equal('user');
      }
    });
    it('another audience', async () => {
      expect(await outcome(await issued({ audiences: ['a', 'b'] }))).to.equal(
        `token audiences ["a" "b"] is invalid for the target audiences ["${issuer}"]`,
      );
    });
    it('an audience that only begins like the right one', async () => {
      expect(await outcome(await issued({ audiences: [`${issuer}.evil`] }))).to.match(/is invalid for the target audiences/);
    });
    it('no audience, where another one than this API is asked for', async () => {
      const { aud: _aud, ...claims } = payload();
      const token = await signedWith(rsa.privateKey, { alg: 'RS256' }, claims);
      expect(await outcome(token)).to.equal('user');
      expect(await outcome(token, ['other'])).to.match(/is invalid for the target audiences/);
      // AuthenticateToken of serviceaccount/jwt.go.
      const notes = [{ key: 'authentication.k8s.io/legacy-token', text: 'system:serviceaccount:ns:robot' }];
      expect(await verify(token, [issuer])).to.deep.include({ notes });
      expect(await verify(token, ['other'])).to.deep.include({ notes });
      clock = now + 661;
      expect(await verify(token, [issuer])).to.deep.include({ outcome: 'invalid', notes });
      expect(await verify(await issued(), [issuer])).to.not.have.property('notes');
    });
    it('another issuer, as a token of somebody else', async () => {
      expect(await outcome(await signedWith(rsa.privateKey, { alg: 'RS256' }, { ...payload(), iss: 'https://evil.test' }))).to.equal(
        'absent',
      );
    });
    it("a signature by a key that is not the cluster's", async () => {
      expect(await outcome(await signedWith(stranger.privateKey, { alg: 'RS256' }))).to.equal(
        'no key of this cluster has signed the token',
      );
    });
    it("a stranger's signature under the id of the cluster's key", async () => {
      expect(await outcome(await signedWith(stranger.privateKey, { alg: 'RS256', kid: signing.id }))).to.equal(
        'no key of this cluster has signed the token',
      );
    });
    it('the id of another key of the cluster', async () => {
      expect(await outcome(await signedWith(rsa.privateKey, { alg: 'RS256', kid: keys[0]!.id }))).to.equal(
        'no key of this cluster has signed the token',
      );
    });
    it('the id of no key of the cluster, though one of its keys has signed', async () => {
      expect(await outcome(await signedWith(rsa.privateKey, { alg: 'RS256', kid: 'unknown' }))).to.equal(
        'no key of this cluster has signed the token',
      );
      expect(await outcome(await signedWith(rsa.privateKey, { alg: 'RS256', kid: '' }))).to.equal('user');
    });
    for (const alg of ['none', 'None', 'NONE', '']) {
      it(`the algorithm ${JSON.stringify(alg)}`, async () => {
        const head = encoded({ alg });
        expect(await outcome(`${head}.${encoded(payload())}.`)).to.equal('no key of this cluster has signed the token');
        expect(await outcome(`${head}.${encoded(payload())}.${(await issued()).split('.')[2]}`)).to.equal(
          'no key of this cluster has signed the token',
        );
      });
    }
    it('the public key used as a shared secret', async () => {
      for (const secret of [pem(rsa.publicKey), pem(rsa.publicKey).trim(), rsa.publicKey.export({ type: 'spki', format: 'der' })]) {
        const text = `${encoded({ alg: 'HS256', kid: signing.id })}.${encoded(payload())}`;
        expect(await outcome(`${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`)).to.equal(
          'no key of this cluster has signed the token',
        );
      }
    });
    it("an algorithm that is not the key's own, even with a good signature", async () => {
      for (const alg of ['RS512', 'PS256'])
        expect(await outcome(await signedWith(rsa.privateKey, { alg }))).to.equal('no key of this cluster has signed the token');
    });
    it('a key that the token brings along', async () => {
      const jwk = stranger.publicKey.export({ format: 'jwk' });
      const token = await new SignJWT(payload())
        .setProtectedHeader({ alg: 'RS256', jwk: jwk as { kty: string }, jku: 'https://evil.test/keys' })
        .sign(stranger.privateKey);
      expect(await outcome(token)).to.equal('no key of this cluster has signed the token');
    });
    it('a changed payload, also after the true token was seen', async () => {
      const token = await issued();
      expect(await outcome(token)).to.equal('user');
      const [head, , signature] = token.split('.');
      expect(await outcome(`${head}.${encoded({ ...payload(), sub: 'system:serviceaccount:kube-system:admin' })}.${signature}`)).to.equal(
        'no key of this cluster has signed the token',
      );
    });
    it('a subject that is not the account', async () => {
      expect(await outcome(await signedWith(rsa.privateKey, { alg: 'RS256' }, { ...payload(), sub: 'system:admin' }))).to.equal(
        'the token names no service account',
      );
    });
    it('an account that was deleted, at once, though its token was good a moment ago', async () => {
      const token = await issued();
      expect(await outcome(token)).to.equal('user');
      const found = await storage.get(
        { resource: { group: '', resource: 'serviceaccounts' }, namespace: 'ns', name: 'robot' },
        { at: 'any' },
      );
      await storage.delete(
        { resource: { group: '', resource: 'serviceaccounts' }, namespace: 'ns', name: 'robot' },
        found.outcome === 'found' ? found.object.version : 0,
        { timeoutMs: 1000 },
      );
      expect(await outcome(token)).to.equal('service account ns/robot has been deleted');
      await put(storage, 'serviceaccounts', object('robot', 'another'));
      expect(await outcome(token)).to.equal('service account ns/robot has been deleted');
    });
    it('what it was bound to and is gone or another one', async () => {
      expect(await outcome(await issued({ pod: object('web', 'u2') }))).to.equal('user');
      expect(await outcome(await issued({ pod: object('web', 'old') }))).to.equal('service account token has been invalidated');
      expect(await outcome(await issued({ secret: object('gone', 'u9') }))).to.equal('service account token has been invalidated');
      expect(await outcome(await issued({ node: object('gone', 'u9', '') }))).to.equal('service account token has been invalidated');
    });
    for (const text of ['', 'x', '.', '..', 'a.b', 'a.b.c', 'a.b.c.d.e', '%00.%00.%00', `${'A'.repeat(5000)}.B.C`, 'e30.e30.']) {
      it(`garbage: ${JSON.stringify(text.slice(0, 20))}`, async () => {
        expect(await outcome(text)).to.equal('absent');
      });
    }
  });

  describe('tokens kept in secrets', () => {
    const kept = (more: JsonObject = {}): JsonObject => ({
      iss: 'kubernetes/serviceaccount',
      sub: 'system:serviceaccount:ns:robot',
      'kubernetes.io/serviceaccount/namespace': 'ns',
      'kubernetes.io/serviceaccount/secret.name': 'kept',
      'kubernetes.io/serviceaccount/service-account.name': 'robot',
      'kubernetes.io/serviceaccount/service-account.uid': 'u1',
      ...more,
    });
    const answer = async (token: string, held: string | null, labels: Record<string, string> = {}): Promise<unknown> => {
      const key = { resource: { group: '', resource: 'secrets' }, namespace: 'ns', name: 'kept' };
      if (held !== null)
        await storage.create(
          key,
          {
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { name: 'kept', namespace: 'ns', labels },
            data: { token: Buffer.from(held).toString('base64') },
          },
          { timeoutMs: 1000 },
        );
      const found = await secretTokens({ keys: { current: keys }, storage, lookup: createLookup(storage) })(token);
      return found === null ? null : 'reason' in found ? found.reason : found.user.name;
    };
    const sign = (claims: JsonObject): Promise<string> => signedWith(rsa.privateKey, { alg: 'RS256' }, claims);

    it('count as long as their secret holds them', async () => {
      const token = await sign(kept());
      expect(await answer(token, null)).to.equal('service account token has been invalidated');
      expect(await answer(token, token)).to.equal('system:serviceaccount:ns:robot');
    });
    it('leave a note of the day when they were used, once', async () => {
      const token = await sign(kept());
      const secret = { resource: { group: '', resource: 'secrets' }, namespace: 'ns', name: 'kept' };
      const read = async (): Promise<readonly [string | undefined, number]> => {
        const found = await storage.get(secret, { at: 'mostRecent' });
        if (found.outcome !== 'found') throw new Error('the secret is gone');
        return [found.object.decode().metadata.labels?.['kubernetes.io/legacy-token-last-used'], found.object.version];
      };
      await storage.create(
        secret,
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'kept', namespace: 'ns', labels: { mine: 'x' } },
          data: { token: Buffer.from(token).toString('base64') },
        },
        { timeoutMs: 1000 },
      );
      let today = Date.parse('2030-01-01T12:00:00Z');
      const authenticate = secretTokens({ keys: { current: keys }, storage, lookup: createLookup(storage), now: () => today });
      const use = async (): Promise<readonly [string | undefined, number]> => {
        expect(await authenticate(token)).to.have.property('user');
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        return read();
      };
      const [first, second] = [await use(), await use()];
      expect([first[0], second]).to.deep.equal(['2030-01-01', first]);
      today += 86_400_000;
      expect((await use())[0]).to.equal('2030-01-02');
      today -= 86_400_000;
      expect((await use())[0]).to.equal('2030-01-02');
    });
    it('leave the note again where it was taken away, and where they are refused for want of use', async () => {
      const token = await sign(kept());
      const invalidSince = 'kubernetes.io/legacy-token-invalid-since';
      const secret = { resource: { group: '', resource: 'secrets' }, namespace: 'ns', name: 'kept' };
      await answer(token, token);
      const authenticate = secretTokens({
        keys: { current: keys },
        storage,
        lookup: createLookup(storage),
        now: () => Date.parse('2030-01-01'),
      });
      for (const labels of [{} as Record<string, string>, { [invalidSince]: '2029-12-01' }]) {
        const before = await storage.get(secret, { at: 'mostRecent' });
        if (before.outcome !== 'found') throw new Error('the secret is gone');
        const { metadata, ...object } = before.object.decode();
        await storage.update(secret, { ...object, metadata: { ...metadata, labels } }, before.object.version, { timeoutMs: 1000 });
        await authenticate(token);
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        const after = await storage.get(secret, { at: 'mostRecent' });
        expect(after.outcome === 'found' && after.object.labels).to.deep.equal({
          ...labels,
          'kubernetes.io/legacy-token-last-used': '2030-01-01',
        });
      }
    });
    it('are counted by whether the account names their secret, and when they were refused for want of use', async () => {
      const uses: string[] = [];
      const secret = { resource: { group: '', resource: 'secrets' }, namespace: 'ns', name: 'kept' };
      const account = { resource: { group: '', resource: 'serviceaccounts' }, namespace: 'ns', name: 'robot' };
      const token = await sign(kept());
      await answer(token, token);
      const authenticate = secretTokens({
        keys: { current: keys },
        storage,
        lookup: createLookup(storage),
        count: (use) => uses.push(use),
      });
      const change = async (key: typeof secret, by: (object: ApiObject) => void): Promise<void> => {
        const found = await storage.get(key, { at: 'mostRecent' });
        if (found.outcome !== 'found') throw new Error('it is gone');
        const object = structuredClone(found.object.decode());
        by(object);
        await storage.update(key, object, found.object.version, { timeoutMs: 1000 });
      };
      const prefix = 'authentication.k8s.io/legacy-token';
      const whose = { key: prefix, text: 'system:serviceaccount:ns:robot' };
      expect(await authenticate(token))
        .to.deep.include({ notes: [whose, { key: `${prefix}-manual-secret`, text: 'kept' }] })
        .and.not.have.property('warning');
      await change(account, (object) => {
        object['secrets'] = [{ name: 'kept' }];
      });
      expect(await authenticate(token)).to.deep.include({
        notes: [whose, { key: `${prefix}-autogenerated-secret`, text: 'kept' }],
        warning:
          'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.',
      });
      await change(secret, ({ metadata }) => {
        metadata.labels = { 'kubernetes.io/legacy-token-invalid-since': '2030-01-01' };
      });
      expect(await authenticate(token)).to.have.deep.property('notes', [whose, { key: `${prefix}-invalidated`, text: 'kept/ns' }]);
      await change(secret, (object) => {
        object['data'] = {};
      });
      expect(await authenticate(token)).to.deep.include({ reason: 'service account token has been invalidated', notes: [whose] });
      const both = ['legacy', 'legacyManual', 'legacy', 'legacyAuto'];
      expect(uses).to.deep.equal([...both, 'legacy', 'invalidLegacyAuto', 'legacy']);
    });
    it('do not count when the secret holds another one', async () => {
      const token = await sign(kept());
      expect(await answer(token, `${token}x`)).to.equal('service account token has been invalidated');
    });
    it('do not count when their secret is marked as unused', async () => {
      const token = await sign(kept());
      expect(await answer(token, token, { 'kubernetes.io/legacy-token-invalid-since': '2030-01-01' })).to.contain(
        'the token in secret ns/kept for service account ns/robot has been marked invalid',
      );
    });
    it('count without their secret where nothing is looked up, and are counted and noted all the same', async () => {
      const uses: string[] = [];
      const authenticate = secretTokens({ keys: { current: keys }, storage, lookup: null, count: (use) => uses.push(use) });
      const found = await authenticate(await sign(kept({ 'kubernetes.io/serviceaccount/secret.name': 'gone' })));
      expect(found).to.have.property('user').with.property('name', 'system:serviceaccount:ns:robot');
      expect(found).to.have.deep.property('notes', [{ key: 'authentication.k8s.io/legacy-token', text: 'system:serviceaccount:ns:robot' }]);
      expect(uses).to.deep.equal(['legacy']);
    });
    it('end at once with the deletion of their account or secret, though a finalizer holds it', async () => {
      const deletionTimestamp = new Date().toISOString();
      await put(storage, 'serviceaccounts', { metadata: { name: 'leaving', uid: 'u5', namespace: 'ns', deletionTimestamp } });
      const leaving = { sub: 'system:serviceaccount:ns:leaving', 'kubernetes.io/serviceaccount/service-account.name': 'leaving' };
      const token = await sign(kept({ ...leaving, 'kubernetes.io/serviceaccount/service-account.uid': 'u5' }));
      expect(await answer(token, token)).to.equal('service account ns/leaving has been deleted');
    });
    it('do not count for another account than they name, nor when forged', async () => {
      const another = await sign(kept({ 'kubernetes.io/serviceaccount/service-account.uid': 'old' }));
      expect(await answer(another, another)).to.equal('service account ns/robot has been deleted');
      expect(await answer(await sign(kept({ sub: 'system:admin' })), null)).to.equal('the token names no service account');
      expect(await answer(await signedWith(stranger.privateKey, { alg: 'RS256' }, kept()), null)).to.equal(
        'no key of this cluster has signed the token',
      );
      expect(await answer(await issued(), null)).to.equal(null);
    });
  });

  describe('keys', () => {
    it('are named by what they are, whichever half of the pair is read', () => {
      const [ofPrivate] = readVerificationKeys([fileWith('private.pem', rsa.privateKey)], '--keys');
      expect(ofPrivate!.id).to.equal(signing.id);
      expect(keys.map(({ algorithm }) => algorithm)).to.deep.equal(['ES256', 'RS256']);
    });
    it('are refused with option and file, and without a word of the key', () => {
      const broken = fileWith('broken.pem', generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey);
      expect(() => readVerificationKeys([broken], '--keys')).to.throw(
        /^--keys: .*broken\.pem holds a key that cannot be read: neither RSA with at least 2048 bits/,
      );
      expect(() => readVerificationKeys([join(directory, 'absent')], '--keys')).to.throw(/^--keys: cannot read .*absent/);
      expect(() => readSigningKey(fileWith('public.pem', rsa.publicKey), '--key')).to.throw(
        /^--key: .*public\.pem does not hold an unencrypted PEM private key/,
      );
      writeFileSync(join(directory, 'text'), 'not a key');
      expect(() => readVerificationKeys([join(directory, 'text')], '--keys')).to.throw(/text holds no PEM key/);
    });
    it('are published without their private halves', () => {
      const documents = openIdDocuments(
        issuer,
        `${issuer}/openid/v1/jwks`,
        readVerificationKeys([fileWith('both.pem', rsa.privateKey, curve.privateKey)], '--keys'),
      );
      const published = documents?.keys['keys'] as JsonObject[];
      expect(published.map((key) => Object.keys(key).sort())).to.deep.equal([
        ['alg', 'e', 'kid', 'kty', 'n', 'use'],
        ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'],
      ]);
      expect(documents?.configuration['id_token_signing_alg_values_supported']).to.deep.equal(['ES256', 'RS256']);
      expect(openIdDocuments('kubernetes/serviceaccount', '', keys)).to.equal(null);
    });
  });
});
