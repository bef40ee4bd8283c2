import { createHmac, createPublicKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { User } from '../../../../api/user.js';
import { readAuthenticationConfiguration, type AuthenticationFacts } from '../../../../server/authentication/jwt/configuration.js';
import { createIssuers, type Issuers } from '../../../../server/authentication/jwt/issuers.js';
import { oidcSettings } from '../../../../server/assembly/oidcSettings.js';
import type { JwtSettings } from '../../../../server/authentication/jwt/settings.js';
import type { Egress } from '../../../../server/egress/egress.js';
import { dialByConnect } from '../../../../server/egress/httpConnect.js';
import { derived, fixed, LiveFiles } from '../../../../program/files/liveFile.js';
import { readApiServerOptions } from '../../../../server/options/read.js';
import type { ApiServerOptions } from '../../../../server/options/flags.js';
import { connectProxy } from '../../../fixtures/egressProxies.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';
import { startTokenIssuer, type TokenIssuer } from '../../../fixtures/tokenIssuer.js';
import { recordingLogger } from '../../../fixtures/frontDoor.js';
import { createIdentities, type Identities } from '../../../fixtures/identities.js';

function optionsOf(...argv: string[]): ApiServerOptions {
  const read = readApiServerOptions(argv);
  if (!read.ok) throw new Error(read.errors.join('\n'));
  return read.options;
}

const facts: AuthenticationFacts = { ownIssuers: [], selectsEgress: true };

/** One issuer and one description of tokens serve options and configuration, whose cases differ in their settings alone. */
describe('tokens of other issuers', function () {
  let identities: Identities;
  let issuer: TokenIssuer;
  const running: Issuers[] = [];
  const logged: string[] = [];
  const log = recordingLogger(logged);

  before(async () => {
    identities = await createIdentities();
    issuer = await startTokenIssuer(await identities.issue({ name: '127.0.0.1', usage: 'serverAuth', ip: ['127.0.0.1'] }));
  });
  after(() => {
    issuer.close();
    for (const issuers of running) issuers.stop();
  });

  const follow = async (settings: readonly JwtSettings[], renewalIntervalMs = 0): Promise<Issuers> => {
    const issuers = createIssuers(fixed(settings), log, { renewalIntervalMs });
    running.push(issuers);
    await issuers.ready();
    return issuers;
  };
  const withOptions = (...more: string[]): Promise<Issuers> => {
    const settings = oidcSettings(
      optionsOf(`--oidc-issuer-url=${issuer.url}`, '--oidc-client-id=me', `--oidc-ca-file=${identities.caFile}`, ...more),
    );
    return follow(settings === null ? [] : [settings]);
  };

  it('of an issuer that was away are accepted as soon as it is there again', async () => {
    issuer.document = { issuer: issuer.url, jwks_uri: `${issuer.url}/nothing` };
    const settings = oidcSettings(
      optionsOf(`--oidc-issuer-url=${issuer.url}`, '--oidc-client-id=me', `--oidc-ca-file=${identities.caFile}`),
    );
    const issuers = createIssuers(fixed(settings === null ? [] : [settings]), log);
    running.push(issuers);
    const token = await issuer.sign();
    try {
      for (let attempt = 0; attempt < 3; attempt++)
        expect(await issuers.authenticate(token)).to.equal('oidc: the issuer has not been reached yet');
    } finally {
      issuer.document = null;
    }
    expect(await issuers.authenticate(token)).to.have.property('name', `${issuer.url}#ann`);
  });

  describe('that leave the groups to somebody else', () => {
    let other: TokenIssuer;
    before(async () => {
      other = await startTokenIssuer(await identities.issue({ name: '127.0.0.1', usage: 'serverAuth', ip: ['127.0.0.1'] }));
    });
    after(() => {
      other.close();
    });
    const refer = (endpoint: string, more: object = {}): object => ({
      _claim_names: { roles: 'there' },
      _claim_sources: { there: { endpoint, access_token: 'let-me-in', ...more } },
    });
    const ask = async (claims: object): Promise<unknown> => {
      const issuers = await withOptions('--oidc-groups-claim=roles', '--oidc-username-prefix=-');
      return issuers.authenticate(await issuer.sign(claims as Record<string, unknown>));
    };

    it('have the groups that the source has signed, whether it is the issuer or another one', async () => {
      issuer.claims = () => issuer.sign({ roles: ['x'] });
      other.claims = () => other.sign({ roles: ['y', 'z'] });
      expect(await ask(refer(`${issuer.url}/claims`))).to.deep.equal({ name: 'ann', uid: '', groups: ['x'], extra: {} });
      expect(await ask(refer(`${other.url}/claims`))).to.deep.equal({ name: 'ann', uid: '', groups: ['y', 'z'], extra: {} });
      expect(other.bearers).to.deep.equal(['Bearer let-me-in']);
    });

    it('have their own where they say both, and none where nobody is named', async () => {
      const asked = other.bearers.length;
      expect(await ask({ ...refer(`${other.url}/claims`), roles: ['own'] })).to.have.deep.property('groups', ['own']);
      expect(await ask({ _claim_names: { other: 'there' }, _claim_sources: { there: {} } })).to.have.deep.property('groups', []);
      // Verify of go-oidc/verify.go, and expand of token/oidc/oidc.go.
      expect(await ask({ _claim_names: { roles: 'a' }, _claim_sources: { a: { JWT: 'x' } } })).to.have.deep.property('groups', []);
      expect(await ask({ _claim_names: null })).to.have.deep.property('groups', []);
      expect(other.bearers.length).to.equal(asked);
    });

    const refused: [string, () => object | Promise<object>, RegExp][] = [
      [
        'an unnamed source',
        () => ({ _claim_names: { roles: 'elsewhere' }, _claim_sources: {} }),
        /a source of claims that it does not have/,
      ],
      ['an unnamed source of another claim', () => ({ _claim_names: { other: 'x' }, _claim_sources: {} }), /a source of claims/],
      ['a source without a name', () => ({ _claim_names: { other: '' }, _claim_sources: { '': {} } }), /a source of claims/],
      ['names of sources that are none', () => ({ _claim_names: { other: 1 }, _claim_sources: { 1: {} } }), /a source of claims/],
      ['sources that are none', () => ({ _claim_names: {}, _claim_sources: 'x' }), /a source of claims/],
      ['an address without TLS', () => refer('http://127.0.0.1:1/claims'), /no https address/],
      ['a source that does not answer', () => refer(`${other.url}/nothing`), /cannot be asked/],
      [
        'an answer of others',
        () => {
          other.claims = () => other.sign({ roles: ['x'], aud: 'you' });
          return refer(`${other.url}/claims`);
        },
        /meant for others/,
      ],
      [
        'an answer that has expired',
        () => {
          other.claims = () => other.sign({ roles: ['x'], exp: 1 });
          return refer(`${other.url}/claims`);
        },
        /has expired/,
      ],
      [
        'an answer in the name of the issuer that another one signed',
        () => {
          other.claims = () => other.sign({ roles: ['x'], iss: issuer.url });
          return refer(`${other.url}/claims`);
        },
        /no key of the issuer/,
      ],
      [
        'an answer without the claim',
        () => {
          other.claims = () => other.sign();
          return refer(`${other.url}/claims`);
        },
        /does not have it/,
      ],
      [
        'an answer that is no token',
        () => {
          other.claims = () => Promise.resolve('roles');
          return refer(`${other.url}/claims`);
        },
        /no issuer whose keys/,
      ],
    ];
    for (const [what, make, reason] of refused)
      it(`are refused with ${what}`, async () => {
        expect(await ask(await make())).to.match(reason);
      });
  });

  describe('by options', () => {
    const user = (name: string, groups: string[] = []): User => ({ name, uid: '', groups, extra: {} });

    it('make users by claims and prefixes', async () => {
      const plain = await withOptions();
      expect(await plain.authenticate(await issuer.sign())).to.deep.equal(user(`${issuer.url}#ann`));
      const mapped = await withOptions(
        '--oidc-username-claim=email',
        '--oidc-groups-claim=roles',
        '--oidc-groups-prefix=oidc:',
        '--oidc-required-claim=tenant=a,level=1',
      );
      const claims = { email: 'ann@example.org', email_verified: true, roles: ['x', 'y'], tenant: 'a', level: '1' };
      expect(await mapped.authenticate(await issuer.sign(claims))).to.deep.equal(user('ann@example.org', ['oidc:x', 'oidc:y']));
      expect(await mapped.authenticate(await issuer.sign({ ...claims, roles: 'x' }))).to.deep.equal(user('ann@example.org', ['oidc:x']));
      expect(await mapped.authenticate(await issuer.sign({ ...claims, email_verified: false }))).to.equal('oidc: email is not verified');
      expect(await mapped.authenticate(await issuer.sign({ ...claims, email_verified: 'true' }))).to.equal('oidc: email is not verified');
      expect(await mapped.authenticate(await issuer.sign({ ...claims, tenant: 'b' }))).to.equal(
        'oidc: required claim tenant has another value',
      );
      expect(await mapped.authenticate(await issuer.sign({ ...claims, level: undefined }))).to.equal(
        'oidc: required claim level is not there',
      );
      expect(await mapped.authenticate(await issuer.sign({ ...claims, roles: [1] }))).to.match(/claim roles for the groups is neither/);
      expect(await (await withOptions('--oidc-username-prefix=-')).authenticate(await issuer.sign())).to.deep.equal(user('ann'));
      expect(await (await withOptions('--oidc-username-prefix=p:')).authenticate(await issuer.sign())).to.deep.equal(user('p:ann'));
      expect(await (await withOptions('--oidc-username-prefix=p:')).authenticate(await issuer.sign({ sub: '' }))).to.deep.equal(user('p:'));
    });

    const now = Math.floor(Date.now() / 1000);
    const refused: [string, () => Promise<string>, string | null][] = [
      ['expired', () => issuer.sign({ exp: now - 1 }), 'oidc: the token has expired'],
      ['without end', () => issuer.sign({ exp: undefined }), 'oidc: the token has expired'],
      ['not yet valid', () => issuer.sign({ nbf: now + 900 }), 'oidc: the token is not valid yet'],
      ['valid in two minutes', () => issuer.sign({ nbf: now + 120 }), 'oidc: the token is not valid yet'],
      ['for others', () => issuer.sign({ aud: ['you', 'them'] }), 'oidc: the token is meant for others'],
      ['without audience', () => issuer.sign({ aud: undefined }), 'oidc: the token is meant for others'],
      ['of another issuer', () => issuer.sign({ iss: 'https://evil.test' }), null],
      ['without a name', () => issuer.sign({ sub: undefined }), 'oidc: claim sub for the username is not there'],
      ['with a name that is no text', () => issuer.sign({ sub: 7 as unknown as string }), 'oidc: claim sub for the username is no text'],
      ['with an unknown key id', () => issuer.sign({}, { kid: 'other' }), 'oidc: no key of the issuer has signed the token'],
      [
        'not signed',
        async () => `${part({ alg: 'none' })}.${(await issuer.sign()).split('.')[1]}.`,
        'oidc: the token is signed in a way that is not accepted',
      ],
      [
        'signed with the public key as a secret',
        async () => confused(await issuer.sign(), issuer),
        'oidc: the token is signed in a way that is not accepted',
      ],
      [
        'with another payload',
        async () => {
          const [head, , tail] = (await issuer.sign()).split('.');
          return `${head}.${part({ iss: issuer.url, sub: 'admin', aud: 'me', exp: now + 60 })}.${tail}`;
        },
        'oidc: no key of the issuer has signed the token',
      ],
      ['no token at all', () => Promise.resolve('abc'), null],
    ];
    for (const [what, make, reason] of refused)
      it(`are refused: ${what}`, async () => {
        expect(await (await withOptions()).authenticate(await make())).to.equal(reason);
      });

    // Verify of go-oidc/verify.go, which has a minute for clocks that differ, and getCredentialID of token/oidc/oidc.go.
    it('hold a moment before their time, and tell their id', async () => {
      const issuers = await withOptions('--oidc-username-prefix=-');
      const found = await issuers.authenticate(await issuer.sign({ nbf: now + 50, jti: 'j1' }));
      expect(found).to.have.deep.property('extra', { 'authentication.kubernetes.io/credential-id': ['JTI=j1'] });
      for (const jti of ['', 7]) expect(await issuers.authenticate(await issuer.sign({ jti }))).to.have.deep.property('extra', {});
    });
    it('are verified with new keys once the issuer has rotated them, and no longer with old ones', async () => {
      const issuers = await withOptions('--oidc-username-prefix=-', '--oidc-signing-algs=RS256,ES256');
      const before = await issuer.sign();
      expect(await issuers.authenticate(before)).to.deep.equal(user('ann'));
      await issuer.rotate('ES256');
      expect(await issuers.authenticate(await issuer.sign())).to.deep.equal(user('ann'));
      expect(await issuers.authenticate(before)).to.equal('oidc: no key of the issuer has signed the token');
      await issuer.rotate('PS256');
      expect(await issuers.authenticate(await issuer.sign())).to.equal('oidc: the token is signed in a way that is not accepted');
      await issuer.rotate();
    });
    it('with unknown keys make the issuer be asked once in a while, not once each', async () => {
      const settings = oidcSettings(
        optionsOf(`--oidc-issuer-url=${issuer.url}`, '--oidc-client-id=me', `--oidc-ca-file=${identities.caFile}`),
      );
      const issuers = await follow([settings!], 3_600_000);
      const asked = issuer.asked.length;
      for (let i = 0; i < 5; i++) await issuers.authenticate(await issuer.sign({}, { kid: `unknown-${i}` }));
      // For the keys; the discovery document was read before.
      expect(issuer.asked.length).to.equal(asked + 1);
    });
    it('are not believed when the discovery document is that of another issuer, or its certificate is unknown', async () => {
      issuer.document = { issuer: 'https://evil.test', jwks_uri: `${issuer.url}/keys` };
      const settings = oidcSettings(
        optionsOf(`--oidc-issuer-url=${issuer.url}`, '--oidc-client-id=me', `--oidc-ca-file=${identities.caFile}`),
      )!;
      for (const one of [settings, { ...settings, certificateAuthority: null }]) {
        logged.length = 0;
        const issuers = createIssuers(fixed([one]), log);
        running.push(issuers);
        while (logged.length === 0)
          await new Promise((resolve) => {
            setImmediate(resolve);
          });
        expect(logged[0]).to.match(/cannot be asked for its keys/);
        expect(await issuers.authenticate(await issuer.sign())).to.equal('oidc: the issuer has not been reached yet');
        issuer.document = null;
      }
    });
    it('are asked for completely and without contradiction, or the server does not start', () => {
      const problems = (...argv: string[]): string => {
        const read = readApiServerOptions(argv);
        return read.ok ? '' : read.errors.join('\n');
      };
      expect(problems('--oidc-issuer-url=https://i.test')).to.include('--oidc-issuer-url needs --oidc-client-id');
      expect(problems('--oidc-groups-claim=g')).to.include('--oidc-groups-claim needs --oidc-issuer-url');
      expect(problems('--oidc-issuer-url=http://i.test', '--oidc-client-id=me')).to.match(/https:\/\//);
      expect(problems('--oidc-issuer-url=https://i.test', '--oidc-client-id=me', '--oidc-signing-algs=HS256')).to.include('HS256');
      expect(problems('--oidc-issuer-url=https://i.test', '--oidc-client-id=me', '--service-account-issuer=https://i.test')).to.include(
        'name the same issuer',
      );
      expect(problems('--oidc-issuer-url=https://i.test', '--oidc-client-id=me', '--authentication-config=f')).to.include(
        'exclude each other',
      );
      expect(() => oidcSettings(optionsOf('--oidc-issuer-url=https://i.test', '--oidc-client-id=me', '--oidc-ca-file=/nope'))).to.throw(
        /--oidc-ca-file: cannot read \/nope/,
      );
    });
  });

  describe('by configuration', () => {
    const file = join(temporaryDirectory('authn'), 'config.yaml');
    interface Parts {
      readonly issuer?: object;
      readonly mappings?: object;
      readonly more?: object;
    }
    const entry = ({ issuer: changes = {}, mappings = {}, more = {} }: Parts = {}): object => ({
      issuer: { url: issuer.url, certificateAuthority: identities.ca, audiences: ['me'], ...changes },
      claimMappings: { username: { claim: 'sub', prefix: '' }, ...mappings },
      ...more,
    });
    const write = (jwt: object[], rest: object = {}): void => {
      writeFileSync(file, JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration', jwt, ...rest }));
    };
    const ask = async (parts: Parts, claims: object): Promise<User | string | null> => {
      write([entry(parts)]);
      return (await follow(readAuthenticationConfiguration(file, facts).jwt)).authenticate(await issuer.sign({ ...claims }));
    };

    it('make users by expressions', async () => {
      const parts: Parts = {
        issuer: { audiences: ['me', 'you'], audienceMatchPolicy: 'MatchAny' },
        mappings: {
          username: { expression: '"u:" + claims.sub' },
          groups: { expression: 'claims.roles.split(",").map(r, "g:" + r)' },
          uid: { expression: 'claims.?id.orValue("")' },
          extra: [
            { key: 'example.org/tier', valueExpression: 'has(claims.tier) ? claims.tier : null' },
            { key: 'example.org/none', valueExpression: '""' },
          ],
        },
        more: {
          claimValidationRules: [
            { claim: 'hd', requiredValue: 'org' },
            { expression: 'claims.exp - claims.iat <= 3600', message: 'lives too long' },
          ],
          userValidationRules: [
            { expression: '!user.username.startsWith("u:system:")', message: 'reserved' },
            { expression: 'user.groups.all(g, g != "g:root")' },
          ],
        },
      };
      const claims = { roles: 'a,b', tier: ['x'], hd: 'org', id: '7', aud: 'you' };
      expect(await ask(parts, claims)).to.deep.equal({
        name: 'u:ann',
        uid: '7',
        groups: ['g:a', 'g:b'],
        extra: { 'example.org/tier': ['x'] },
      });
      expect(await ask(parts, { ...claims, hd: 'com' })).to.equal('oidc: required claim hd has another value');
      expect(await ask(parts, { ...claims, exp: Math.floor(Date.now() / 1000) + 7200 })).to.equal(
        "oidc: validation expression 'claims.exp - claims.iat <= 3600' failed: lives too long",
      );
      expect(await ask(parts, { ...claims, sub: 'system:x' })).to.match(/failed: reserved$/);
      expect(await ask(parts, { ...claims, roles: 'root' })).to.match(/^oidc: validation expression 'user.groups/);
      expect(await ask(parts, { ...claims, roles: undefined })).to.equal('oidc: the expression for the groups fails: no such key: roles');
      expect(await ask(parts, { ...claims, tier: 3 })).to.match(/extra example.org\/tier yields neither/);
    });
    // newClaimsValue of token/oidc/oidc.go.
    it('make users by expressions that name members by escaped names', async () => {
      const mappings = { username: { expression: 'claims.org__dot__name + string(type(claims.level) == double)' } };
      const extra = [{ key: 'example.org/a', valueExpression: 'claims.deep[0].x__slash__y' }];
      const more = { userValidationRules: [{ expression: 'user.extra.example__dot__org__slash__a == ["z"]' }] };
      const claims = { 'org.name': 'n', level: 1, deep: [{ 'x/y': 'z' }] };
      expect(await ask({ mappings: { ...mappings, extra }, more }, claims)).to.have.property('name', 'ntrue');
    });
    it('are of the provider that leaves the scheme out of its name', async () => {
      const url = 'https://accounts.google.com';
      issuer.document = { issuer: url, jwks_uri: `${issuer.url}/keys` };
      write([entry({ issuer: { url, discoveryURL: `${issuer.url}/special/openid-configuration` } })]);
      const issuers = await follow(readAuthenticationConfiguration(file, facts).jwt);
      for (const iss of [url, 'accounts.google.com'])
        expect(await issuers.authenticate(await issuer.sign({ iss })), iss).to.have.property('name', 'ann');
      issuer.document = null;
    });
    it('are told apart by their issuer, and found where the configuration says', async () => {
      issuer.document = { issuer: 'https://other.test', jwks_uri: `${issuer.url}/keys` };
      write([entry({ issuer: { url: 'https://other.test', discoveryURL: `${issuer.url}/special/openid-configuration` } })]);
      const issuers = await follow(readAuthenticationConfiguration(file, facts).jwt);
      expect(await issuers.authenticate(await issuer.sign({ iss: 'https://other.test' }))).to.have.property('name', 'ann');
      expect(await issuers.authenticate(await issuer.sign())).to.equal(null);
      expect(issuer.asked).to.include('/special/openid-configuration');
      issuer.document = null;
    });
    it('follow the file: a change counts, a broken one does not', async () => {
      const live = new LiveFiles();
      const failures: string[] = [];
      write([entry({ mappings: { username: { claim: 'sub', prefix: 'a:' } } })]);
      const settings = live.follow({
        files: [file],
        read: () => readAuthenticationConfiguration(file, facts),
        failed: ({ message }) => {
          failures.push(message);
        },
      });
      const issuers = createIssuers(
        derived(settings, ({ jwt }) => jwt),
        log,
      );
      running.push(issuers);
      await issuers.ready();
      const token = await issuer.sign();
      expect(await issuers.authenticate(token)).to.have.property('name', 'a:ann');
      const asked = issuer.asked.length;
      write([entry({ mappings: { username: { claim: 'sub', prefix: 'b:' } } })]);
      live.look();
      expect(await issuers.authenticate(token)).to.have.property('name', 'b:ann');
      write([entry({ mappings: { username: {} } })]);
      live.look();
      expect(failures.join()).to.match(/jwt\[0\]\.claimMappings\.username: Required value/);
      expect(await issuers.authenticate(token)).to.have.property('name', 'b:ann');
      expect(issuer.asked.length).to.equal(asked);
      write([]);
      live.look();
      expect(await issuers.authenticate(token)).to.equal(null);
      live.stop();
    });

    // updateAuthenticationConfig of kubeapiserver/authenticator/config.go.
    it('change once the new issuers have answered, and stay as they were until then', async () => {
      const proxy = await connectProxy(null);
      let open = (): void => undefined;
      const gate = new Promise<void>((resolve) => {
        open = resolve;
      });
      const egress: Egress = () => async (host, port) => {
        await gate;
        return dialByConnect({ path: proxy.address }, host, port);
      };
      const named = (prefix: string, changes: object = {}): readonly JwtSettings[] => {
        write([entry({ issuer: changes, mappings: { username: { claim: 'sub', prefix } } })]);
        return readAuthenticationConfiguration(file, facts).jwt;
      };
      const listeners: ((list: readonly JwtSettings[]) => void)[] = [];
      const settings = { current: named('a:'), onChange: (listener: (typeof listeners)[number]) => void listeners.push(listener) };
      const events: string[] = [];
      let heard = (): void => undefined;
      const note = (what: string) => (): void => {
        events.push(what);
        heard();
      };
      const next = (): Promise<void> =>
        new Promise((resolve) => {
          heard = resolve;
        });
      const change = (list: readonly JwtSettings[]): void => listeners.forEach((listener) => listener(list));
      const issuers = createIssuers(settings, log, { egress, lateMs: 1, reloads: { applied: note('applied'), late: note('late') } });
      running.push(issuers);
      await issuers.ready();
      const who = async (): Promise<unknown> => issuers.authenticate(await issuer.sign());
      const late = next();
      change(named('b:', { egressSelectorType: 'cluster' }));
      expect(await who()).to.have.property('name', 'a:ann');
      await late;
      change(named('c:'));
      expect(await who()).to.have.property('name', 'c:ann');
      change(named('d:', { egressSelectorType: 'cluster' }));
      await next();
      expect(await who()).to.have.property('name', 'c:ann');
      const applied = next();
      open();
      await applied;
      expect(await who()).to.have.property('name', 'd:ann');
      expect(events).to.deep.equal(['late', 'applied', 'late', 'applied']);
      proxy.stop();
    });

    it('are reached by the way that the configuration says', async () => {
      const proxy = await connectProxy(null);
      const dialled: string[] = [];
      const egress: Egress = (destination) => {
        dialled.push(destination);
        return (host, port) => dialByConnect({ path: proxy.address }, host, port);
      };
      try {
        write([entry({ issuer: { egressSelectorType: 'cluster' } })]);
        const issuers = createIssuers(fixed(readAuthenticationConfiguration(file, facts).jwt), log, { egress });
        running.push(issuers);
        await issuers.ready();
        expect(await issuers.authenticate(await issuer.sign())).to.have.property('name', 'ann');
        expect(dialled).to.deep.equal(['cluster']);
        expect(proxy.asked).to.deep.equal([new URL(issuer.url).host, new URL(issuer.url).host]);
      } finally {
        proxy.stop();
      }
    });

    const wrong: [string, () => object[], RegExp, object?][] = [
      ['a way of another kind', () => [entry({ issuer: { egressSelectorType: 'etcd' } })], /egressSelectorType: .*controlplane or cluster/],
      ['an issuer that is not https', () => [entry({ issuer: { url: 'http://i.test' } })], /jwt\[0\]\.issuer\.url: .*https/],
      ['no issuer', () => [entry({ issuer: { url: '' } })], /issuer\.url: Required value/],
      ['a query', () => [entry({ issuer: { url: 'https://i.test?x=1' } })], /query/],
      ['a password', () => [entry({ issuer: { url: 'https://u:p@i.test' } })], /user or password/],
      ['an own issuer', () => [entry({ issuer: { url: 'https://own.test' } })], /service account tokens/],
      ['an issuer twice', () => [entry(), entry()], /jwt\[1\]\.issuer\.url: Duplicate value/],
      [
        'discovery at an issuer of many slashes',
        () => [
          entry({ issuer: { url: `https://i.test/${'/'.repeat(200_000)}x`, discoveryURL: `https://i.test/${'/'.repeat(200_000)}x/` } }),
        ],
        /must differ from url/,
      ],
      ['discovery at the issuer', () => [entry({ issuer: { discoveryURL: `${issuer.url}/` } })], /must differ from url/],
      ['no audience', () => [entry({ issuer: { audiences: [] } })], /issuer\.audiences: Required value/],
      ['several audiences without policy', () => [entry({ issuer: { audiences: ['a', 'b'] } })], /must be MatchAny/],
      ['a wrong authority', () => [entry({ issuer: { certificateAuthority: 'x' } })], /<omitted>.*no PEM certificate/],
      ['no prefix', () => [entry({ mappings: { username: { claim: 'sub' } } })], /username\.prefix: Required value/],
      [
        'claim and expression',
        () => [entry({ mappings: { groups: { claim: 'a', prefix: '', expression: 'claims.b' } } })],
        /groups: .*exclude each other/,
      ],
      ['a prefix with an expression', () => [entry({ mappings: { groups: { expression: 'claims.b', prefix: '' } } })], /groups\.prefix/],
      ['an expression that is none', () => [entry({ mappings: { username: { expression: 'claims.' } } })], /compilation failed/],
      [
        'a rule that is not known to yield a bool',
        () => [entry({ more: { claimValidationRules: [{ expression: 'claims.admin' }] } })],
        /claimValidationRules\[0\]\.expression: .*must evaluate to bool/,
      ],
      ['an unverified address', () => [entry({ mappings: { username: { expression: 'claims.email' } } })], /email_verified/],
      ['a reserved key', () => [entry({ mappings: { extra: [{ key: 'x.k8s.io/a', valueExpression: '"b"' }] } })], /reserved/],
      ['a key without domain', () => [entry({ mappings: { extra: [{ key: 'a', valueExpression: '"b"' }] } })], /behind a domain/],
      ['a key of no domain', () => [entry({ mappings: { extra: [{ key: 'a..b/c', valueExpression: '"b"' }] } })], /behind a domain/],
      ['a rule without anything', () => [entry({ more: { claimValidationRules: [{}] } })], /claimValidationRules\[0\]: Required value/],
      [
        'a message with a claim',
        () => [entry({ more: { claimValidationRules: [{ claim: 'a', message: 'm' }] } })],
        /belongs to an expression/,
      ],
      [
        'a user rule about claims',
        () => [entry({ more: { userValidationRules: [{ expression: 'claims.a' }] } })],
        /undeclared reference to 'claims'/,
      ],
      ['a word that is unknown', () => [entry({ issuer: { audience: 'x' } })], /jwt\[0\]\.issuer\.audience is unknown/],
      ['a list that is none', () => [entry({ issuer: { audiences: 'me' } })], /audiences must be a list/],
      ['conditions for nobody', () => [], /anonymous\.conditions/, { anonymous: { enabled: false, conditions: [{ path: '/livez' }] } }],
      ['another kind', () => [], /must hold kind AuthenticationConfiguration/, { kind: 'Other' }],
    ];
    for (const [what, jwt, message, rest] of wrong) {
      it(`is refused with ${what}`, () => {
        write(jwt(), rest);
        expect(() => readAuthenticationConfiguration(file, { ...facts, ownIssuers: ['https://own.test'] })).to.throw(message);
      });
    }
    it('is refused with a way to the issuer while that feature is off', () => {
      write([entry({ issuer: { egressSelectorType: 'cluster' } })]);
      expect(() => readAuthenticationConfiguration(file, { ...facts, selectsEgress: false })).to.throw(
        /egressSelectorType: .*StructuredAuthenticationConfigurationEgressSelector/,
      );
      write([entry()]);
      expect(readAuthenticationConfiguration(file, { ...facts, selectsEgress: false }).jwt).to.have.length(1);
    });
    it('says that addresses are verified where it uses them', () => {
      write([entry({ mappings: { username: { expression: 'claims.email_verified ? claims.email : "nobody"' } } })]);
      expect(readAuthenticationConfiguration(file, facts).jwt).to.have.length(1);
    });
  });
});

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** HS256 with the published key as secret: accepted by a verifier that trusts the token's algorithm. */
function confused(token: string, { publicKey }: TokenIssuer): string {
  const signed = `${part({ alg: 'HS256', kid: publicKey.kid })}.${token.split('.')[1]}`;
  const secret = createPublicKey({ key: publicKey as Record<string, string>, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}
