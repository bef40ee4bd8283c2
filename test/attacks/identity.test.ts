import { expect } from 'chai';
import { createSign, createHmac, generateKeyPairSync, createPrivateKey } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { createAuthority, issueCertificate } from '../../deploy/certificates.js';
import type { ApiObject } from '../fixtures/apiClient.js';
import { Target, type Account, type User } from './target.js';
import { expectAnswer, tryAll, type Try } from './tries.js';

const who = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
const issuer = 'https://kubernetes.default.svc';

/** Nobody acts as another user without the right or the issuer's key. */
describe('attacks/identity', function () {
  let target: Target;
  let low: User;
  let helper: User;
  let account: Account;

  before(async () => {
    target = await Target.start();
    await target.namespace('a');
    low = await target.user('low');
    helper = await target.user('helper', {
      rules: [
        { verbs: ['impersonate'], resources: ['users'], resourceNames: ['bob'] },
        { verbs: ['impersonate'], resources: ['groups'], resourceNames: ['guests'] },
      ],
    });
    account = await target.account('a', 'robot', [{ verbs: ['get'], resources: ['configmaps'] }]);
  });
  after(async () => {
    await target?.stop();
  });

  const nameIn = (object: unknown): string =>
    ((object as ApiObject).status as { readonly userInfo: { readonly username: string } }).userInfo.username;
  const ask = (headers: NonNullable<Try['headers']>, what: string, status: Try['status']): Try => ({
    what,
    method: 'POST',
    path: who,
    body: review,
    headers,
    status,
    neverSays: /"(username|groups)":\[?"(admin|root|kubernetes-admin|bob|system:masters)"/,
  });

  describe('impersonation, by one who may not', () => {
    tryAll(
      () => low.client,
      [
        ask({ 'impersonate-user': 'admin' }, 'a user', 403),
        ask({ 'impersonate-user': 'low' }, 'itself', 403),
        ask({ 'impersonate-user': 'low', 'impersonate-group': 'system:masters' }, 'itself with a group', 403),
        ask({ 'impersonate-group': 'system:masters' }, 'a group alone', [400, 403, 500]),
        ask({ 'impersonate-uid': '1' }, 'a uid alone', [400, 403, 500]),
        ask({ 'impersonate-extra-a': 'b' }, 'an extra alone', [400, 403, 500]),
        ask({ 'impersonate-user': '', 'impersonate-group': 'system:masters' }, 'nobody with a group', [400, 403, 500]),
        ask({ 'Impersonate-User': ['bob', 'admin'] }, 'two users', [400, 403]),
        ask({ 'impersonate-user': 'system:anonymous' }, 'nobody', 403),
        ask({ 'impersonate-user': 'system:serviceaccount:kube-system:generic-garbage-collector' }, 'an account', 403),
        ask({ 'impersonate-user': 'system:node:n' }, 'a node', 403),
        ask({ 'impersonate-user': ' admin' }, 'a name with a space', 403),
        ask({ impersonate_user: 'admin' }, 'a header with an underscore, which is another', 201),
      ],
    );
  });

  describe('impersonation, by one who may be bob among guests', () => {
    tryAll(
      () => helper.client,
      [
        {
          ...ask({ 'impersonate-user': 'bob', 'impersonate-group': 'guests' }, 'is bob', 201),
          neverSays: /system:masters/,
          says: /"username":"bob"/,
        },
        ask({ 'impersonate-user': 'alice' }, 'another user', 403),
        ask({ 'impersonate-user': 'bob', 'impersonate-group': 'system:masters' }, 'another group', 403),
        ask({ 'impersonate-user': 'bob', 'impersonate-group': ['guests', 'system:masters'] }, 'another group behind its own', 403),
        ask({ 'impersonate-user': 'bob', 'impersonate-group': 'guests,system:masters' }, 'two groups in one', 403),
        ask({ 'impersonate-user': 'bob', 'impersonate-uid': '0' }, 'a uid', 403),
        ask({ 'impersonate-user': 'bob', 'impersonate-extra-scopes': 'all' }, 'an extra', 403),
        ask({ 'impersonate-user': 'system:serviceaccount:a:robot' }, 'an account through the right for users', 403),
        ask({ 'impersonate-user': 'bob/../admin' }, 'a path', 403),
        ask({ 'impersonate-user': 'Bob' }, 'another case', 403),
      ],
    );
    it('has the rights of bob alone', async () => {
      const headers = { 'impersonate-user': 'bob', 'impersonate-group': 'guests' };
      await expectAnswer(helper.client, { what: 'list', path: '/api/v1/secrets', headers, status: 403, says: /\\"bob\\"/ });
    });
  });

  describe('headers of a front proxy, from one who is none', () => {
    const headers = [
      { 'x-remote-user': 'admin' },
      { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' },
      { 'x-remote-group': 'system:masters' },
      { 'x-remote-extra-a': 'b', 'x-remote-user': 'admin' },
      { 'x-forwarded-user': 'admin' },
      { 'x-original-user': 'admin' },
      { 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1' },
      { 'x-remote-uid': '0', 'x-remote-user': 'admin' },
    ];
    for (const each of headers) {
      it(JSON.stringify(each), async () => {
        const { body } = await expectAnswer(low.client, { ...ask(each, 'self', 201) });
        expect(nameIn(body)).to.equal('low');
        expect((await target.anonymous.request('GET', '/api/v1/secrets', { headers: each })).status).to.equal(403);
      });
    }
  });

  describe('certificates', () => {
    const files = (): { readonly dir: string; readonly read: (name: string) => string } => {
      const dir = path.dirname(target.cluster.cluster.pki.caFile);
      return { dir, read: (name) => fs.readFileSync(path.join(dir, name), 'utf8') };
    };
    const refusedWith = async (pair: { readonly certificate: string; readonly key: string }, wanted: readonly number[]): Promise<void> => {
      const answer = await target
        .as({ cert: pair.certificate, key: pair.key })
        .request('GET', '/api/v1/secrets')
        .catch(() => ({ status: 0, body: '' }));
      expect(wanted, JSON.stringify(answer.body)).to.include(answer.status);
    };
    // 0: the handshake was refused.
    const never = [0, 401, 403];
    it('of a server, with the group of administrators', async () => {
      await refusedWith(await target.certificate('admin', 'system:masters', 'serverAuth'), [0, 401]);
    });
    it('of the API server itself', async () => {
      await refusedWith({ certificate: files().read('apiserver.crt'), key: files().read('apiserver.key') }, [0, 401]);
    });
    it('of a replica', async () => {
      await refusedWith({ certificate: files().read('raft-r1.crt'), key: files().read('raft-r1.key') }, never);
    });
    it('of another authority with the same name', async () => {
      const other = await createAuthority('kubernetes');
      await refusedWith(
        await issueCertificate(other, { commonName: 'admin', organization: 'system:masters', usages: ['clientAuth'] }),
        [0, 401],
      );
    });
    it('that signed itself', async () => {
      await refusedWith(await createAuthority('system:masters'), [0, 401]);
    });
    it('that a user has signed', async () => {
      const { pki } = target.cluster.cluster;
      const user = { certificate: low.certificate, key: low.key };
      const leaf = await issueCertificate(user, { commonName: 'admin', organization: 'system:masters', usages: ['clientAuth'] });
      await refusedWith({ certificate: leaf.certificate + low.certificate + fs.readFileSync(pki.caFile, 'utf8'), key: leaf.key }, [0, 401]);
    });
    it('with a group in its common name', async () => {
      await refusedWith(await target.certificate('system:masters'), [403]);
    });
    it('with no name', async () => {
      await refusedWith(await target.certificate(''), never);
    });
    it('and a token of another: one of them counts, never both', async () => {
      const client = target.as({ cert: low.certificate, key: low.key });
      const { body } = await client.request('POST', who, { body: review, headers: { authorization: `Bearer ${account.token}` } });
      expect(['low', account.user]).to.include(nameIn(body));
    });
  });

  describe('forged tokens', () => {
    const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const keyFiles = (): { readonly keyFile: string; readonly pubFile: string } => target.cluster.cluster.pki.serviceAccount;
    const claimsOf = (token: string): Record<string, unknown> =>
      JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
    const headerOf = (token: string): Record<string, unknown> =>
      JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as Record<string, unknown>;
    const signed = (header: object, claims: object, key: string): string => {
      const content = `${encoded(header)}.${encoded(claims)}`;
      return `${content}.${createSign('RSA-SHA256').update(content).sign(createPrivateKey(key)).toString('base64url')}`;
    };
    /** With the cluster's own key: the claims of a token count, not only its signature. */
    const own = (claims: object, header: object = {}): string =>
      signed(
        { ...headerOf(account.token), ...header },
        { ...claimsOf(account.token), ...claims },
        fs.readFileSync(keyFiles().keyFile, 'utf8'),
      );
    const stranger = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const hmac = (key: string | Buffer): string => {
      const content = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded(claimsOf(account.token))}`;
      return `${content}.${createHmac('sha256', key).update(content).digest('base64url')}`;
    };
    const parts = (): [string, string, string] => account.token.split('.') as [string, string, string];
    const now = (): number => Math.floor(Date.now() / 1000);

    const forgeries: Readonly<Record<string, () => string>> = {
      'no algorithm': () => `${encoded({ alg: 'none', typ: 'JWT' })}.${parts()[1]}.`,
      'no algorithm, in capitals': () => `${encoded({ alg: 'NONE' })}.${parts()[1]}.${parts()[2]}`,
      'no algorithm, two parts': () => `${encoded({ alg: 'none' })}.${parts()[1]}`,
      'no signature': () => `${parts()[0]}.${parts()[1]}.`,
      'the public key as a secret': () => hmac(fs.readFileSync(keyFiles().pubFile)),
      'the public key as a secret, without its end': () => hmac(fs.readFileSync(keyFiles().pubFile, 'utf8').trim()),
      'an empty secret': () => hmac(''),
      'another key': () => signed(headerOf(account.token), claimsOf(account.token), stranger.privateKey),
      'another key that it brings along': () =>
        signed({ alg: 'RS256', jwk: { kty: 'RSA' }, x5c: ['AAAA'] }, claimsOf(account.token), stranger.privateKey),
      'another key under an address': () =>
        signed(
          { alg: 'RS256', jku: 'https://127.0.0.1:1/keys', x5u: 'https://127.0.0.1:1/c' },
          claimsOf(account.token),
          stranger.privateKey,
        ),
      'another key under a path': () => signed({ alg: 'RS256', kid: '../../../../dev/null' }, claimsOf(account.token), stranger.privateKey),
      'a changed account': () =>
        `${parts()[0]}.${encoded({ ...claimsOf(account.token), sub: 'system:serviceaccount:kube-system:admin' })}.${parts()[2]}`,
      'a changed end': () => `${parts()[0]}.${encoded({ ...claimsOf(account.token), exp: now() + 10 ** 8 })}.${parts()[2]}`,
      'a changed header': () => `${encoded({ ...headerOf(account.token), crit: [] })}.${parts()[1]}.${parts()[2]}`,
      padding: () => `${parts()[0]}=.${parts()[1]}==.${parts()[2]}==`,
      'a part too many': () => `${account.token}.${parts()[2]}`,
      'white space inside': () => account.token.replace('.', '. '),
      'something critical that nobody knows': () => own({}, { crit: ['b64'], b64: false }),
      'another audience': () => own({ aud: ['vault'] }),
      'another issuer': () => own({ iss: 'https://elsewhere' }),
      'no issuer': () => own({ iss: undefined }),
      'no account': () => own({ sub: undefined }),
      'the name of a user': () => own({ sub: 'kubernetes-admin' }),
      'an account that is not the one inside': () => own({ sub: 'system:serviceaccount:kube-system:default' }),
      'an account that does not exist': () =>
        own({ sub: 'system:serviceaccount:a:none', 'kubernetes.io': { namespace: 'a', serviceaccount: { name: 'none', uid: '1' } } }),
      'another life of the account': () =>
        own({ 'kubernetes.io': { namespace: 'a', serviceaccount: { name: 'robot', uid: '00000000-0000-0000-0000-000000000000' } } }),
      'a pod that does not exist': () =>
        own({ 'kubernetes.io': { ...(claimsOf(account.token)['kubernetes.io'] as object), pod: { name: 'none', uid: '1' } } }),
      'its end behind it': () => own({ iat: now() - 7_200, nbf: now() - 7_200, exp: now() - 3_600 }),
      'its beginning before it': () => own({ nbf: now() + 3_600, exp: now() + 7_200 }),
      'an end that is no number': () => own({ exp: 'never' }),
      'an end in a list': () => own({ exp: [10 ** 12] }),
      nothing: () => '',
      dots: () => '..',
      'a megabyte': () => 'a.'.repeat(20_000),
      depth: () => `${Buffer.from('{"alg":'.repeat(5_000)).toString('base64url')}.${parts()[1]}.${parts()[2]}`,
    };
    for (const [what, forge] of Object.entries(forgeries)) {
      it(what, async () => {
        const answer = await target.as('none').request('POST', who, { body: review, headers: { authorization: `Bearer ${forge()}` } });
        // An empty token is anonymous, which this request forbids.
        expect(what === 'nothing' ? [401, 403] : [401, 431], JSON.stringify(answer.body)).to.include(answer.status);
      });
    }
    it('takes the token that was forged from, and names its issuer', async () => {
      expect(nameIn(await account.client.expect(201, 'POST', who, { body: review }))).to.equal(account.user);
      expect(claimsOf(account.token)['iss']).to.equal(issuer);
      expect(nameIn(await target.as({ token: own({}) }).expect(201, 'POST', who, { body: review })), 'signed again').to.equal(account.user);
    });
    it('takes none from a query, a cookie or a second header', async () => {
      for (const [query, headers] of [
        [`?access_token=${account.token}`, {}],
        ['', { cookie: `token=${account.token}` }],
        ['', { 'x-authorization': `Bearer ${account.token}` }],
        ['', { 'proxy-authorization': `Bearer ${account.token}` }],
        ['', { authorization: `Basic ${Buffer.from(`admin:${account.token}`).toString('base64')}` }],
      ] as const) {
        expect([401, 403]).to.include((await target.anonymous.request('POST', who + query, { body: review, headers })).status);
      }
    });
    it('ends with its account, and is not that of the next account of the same name', async () => {
      const short = await target.account('a', 'short-lived');
      expect((await short.client.request('POST', who, { body: review })).status).to.equal(201);
      await target.admin.expect(200, 'DELETE', '/api/v1/namespaces/a/serviceaccounts/short-lived');
      expect((await short.client.request('POST', who, { body: review })).status).to.equal(401);
      await target.admin.expect(201, 'POST', '/api/v1/namespaces/a/serviceaccounts', { body: { metadata: { name: 'short-lived' } } });
      expect((await short.client.request('POST', who, { body: review })).status).to.equal(401);
    });
    it('tells no token to the log', () => {
      for (const part of account.token.split('.').slice(1)) expect(target.log()).not.to.contain(part);
    });
  });

  describe('tokens for accounts, by one who may ask for its own', () => {
    const asked = (name: string, body: object, status: Try['status'], what: string, namespace = 'a'): Try => ({
      what,
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
      body,
      status,
    });
    before(async () => {
      await target.grant(
        { kind: 'ServiceAccount', name: 'robot', namespace: 'a' },
        [{ verbs: ['create'], resources: ['serviceaccounts/token'], resourceNames: ['robot'] }],
        'a',
      );
      await target.account('a', 'other');
      await target.admin.expect(201, 'POST', '/api/v1/namespaces/a/pods', {
        body: { metadata: { name: 'p' }, spec: { serviceAccountName: 'other', containers: [{ name: 'c', image: 'i' }] } },
      });
    });
    tryAll(
      () => account.client,
      [
        asked('robot', { spec: {} }, 201, 'its own'),
        asked('other', { spec: {} }, 403, 'another account'),
        asked('default', { spec: {} }, 403, 'an account of another namespace', 'kube-system'),
        asked('robot', { metadata: { name: 'other' }, spec: {} }, [400, 422], 'another name in the body'),
        asked('robot', { metadata: { namespace: 'kube-system' }, spec: {} }, [400, 422], 'another namespace in the body'),
        asked('robot', { spec: { expirationSeconds: 1 } }, 422, 'too short a life'),
        asked('robot', { spec: { expirationSeconds: 2 ** 33 } }, 422, 'too long a life'),
        asked('robot', { spec: { expirationSeconds: -600 } }, 422, 'a life that is over'),
        asked(
          'robot',
          { spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } } },
          [400, 403, 409],
          'a pod of another account',
        ),
        asked(
          'robot',
          { spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'none' } } },
          [404, 409],
          'a pod that is not there',
        ),
        asked(
          'robot',
          { spec: { boundObjectRef: { kind: 'Deployment', apiVersion: 'apps/v1', name: 'd' } } },
          [400, 422],
          'a kind that no token is bound to',
        ),
        asked(
          'robot',
          { spec: { boundObjectRef: { kind: 'Node', apiVersion: 'v1', name: 'none' } } },
          [404, 409, 422],
          'a node that is not there',
        ),
        asked('robot%2f..%2fother', { spec: {} }, [400, 403, 404, 405], 'another account by walking'),
      ],
    );
  });
});
