import { expect } from 'chai';
import { createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { startReviewService, type ReviewService } from '../../fixtures/reviewService.js';
import { startTokenIssuer, type TokenIssuer } from '../../fixtures/tokenIssuer.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';
import { createIdentities, type Identities } from '../../fixtures/identities.js';
import { eventually } from './bundledProgram.js';
import { probesOf } from './probed.js';
import { ServerUnderProbe } from './serverUnderProbe.js';

const probe = probesOf('apiserver');
const accounts = '/api/v1/namespaces/default/serviceaccounts';
const maps = '/api/v1/namespaces/default/configmaps';

const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;

function signed(key: KeyObject, claims: object): string {
  const content = [{ alg: 'RS256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`;
}

/** Null for a file that was just rotated. */
function unzipped(file: string): string | null {
  try {
    return gunzipSync(fs.readFileSync(file)).toString();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Authentication, authorization and audit. */
export function access(): void {
  describe('an API server that takes tokens of all kinds', function () {
    let server: ServerUnderProbe;
    let identities: Identities;
    let issuer: TokenIssuer;
    let tokens: ReviewService;
    let rights: ReviewService;
    let trail: ReviewService;
    let accountKey: KeyObject;
    const folder = temporaryDirectory('access');
    const auditLog = path.join(folder, 'audit.log');
    const write = (name: string, text: string): string => {
      fs.writeFileSync(path.join(folder, name), text);
      return path.join(folder, name);
    };

    before(async () => {
      identities = await createIdentities();
      issuer = await startTokenIssuer(await identities.issue({ name: 'issuer', usage: 'serverAuth', ip: ['127.0.0.1'] }));
      [tokens, rights, trail] = [
        await startReviewService(identities, 'tokens'),
        await startReviewService(identities, 'rights'),
        await startReviewService(identities, 'trail'),
      ];
      tokens.replies = [{ authenticated: false }];
      rights.replies = [{ allowed: false }];
      await issuer.rotate('ES256');
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      accountKey = privateKey;
      const key = write('sa.key', privateKey.export({ type: 'pkcs1', format: 'pem' }).toString());
      const published = write('sa.pub', createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString());
      const older = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'pem' }).toString();
      const policy = {
        apiVersion: 'audit.k8s.io/v1',
        kind: 'Policy',
        omitStages: ['RequestReceived'],
        rules: [{ level: 'RequestResponse', resources: [{ group: '', resources: ['configmaps'] }], verbs: ['create'] }, { level: 'None' }],
      };
      fs.writeFileSync(path.join(folder, 'audit-2001-01-01T00-00-00.000.log'), 'old\n');
      server = await ServerUnderProbe.start(identities, [
        '--anonymous-auth=false',
        '--api-audiences=here,there',
        `--token-auth-file=${write('tokens.csv', 'fixed-token,carol,1,"devs,ops"\n')}`,
        '--enable-bootstrap-token-auth',
        '--authorization-mode=ABAC,Webhook,RBAC',
        `--authorization-policy-file=${write('abac.jsonl', '{"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy","spec":{"user":"carol","namespace":"*","resource":"configmaps","apiGroup":"*"}}\n')}`,
        `--authorization-webhook-config-file=${rights.kubeconfig}`,
        '--authorization-webhook-version=v1',
        '--authorization-webhook-cache-authorized-ttl=1h',
        '--authorization-webhook-cache-unauthorized-ttl=0s',
        `--authentication-token-webhook-config-file=${tokens.kubeconfig}`,
        '--authentication-token-webhook-version=v1',
        '--authentication-token-webhook-cache-ttl=1h',
        `--oidc-issuer-url=${issuer.url}`,
        '--oidc-client-id=me',
        `--oidc-ca-file=${identities.caFile}`,
        '--oidc-username-claim=nick',
        '--oidc-username-prefix=oidc:',
        '--oidc-groups-claim=teams',
        '--oidc-groups-prefix=g:',
        '--oidc-required-claim=site=home',
        '--oidc-signing-algs=ES256',
        '--service-account-issuer=https://one.example,https://two.example',
        `--service-account-key-file=${published}`,
        `--service-account-key-file=${write('older.pub', older)}`,
        `--service-account-signing-key-file=${key}`,
        '--service-account-jwks-uri=https://keys.example/all',
        '--service-account-lookup=false',
        '--service-account-max-token-expiration=2h',
        '--service-account-extend-token-expiration=false',
        `--audit-policy-file=${write('policy.json', JSON.stringify(policy))}`,
        `--audit-log-path=${auditLog}`,
        '--audit-log-format=legacy',
        '--audit-log-mode=blocking-strict',
        `--audit-webhook-config-file=${trail.kubeconfig}`,
        '--audit-webhook-mode=blocking',
        '--audit-webhook-version=audit.k8s.io/v1',
        '--audit-webhook-truncate-enabled',
        '--audit-webhook-truncate-max-event-size=3000',
        '--audit-webhook-truncate-max-batch-size=3001',
      ]);
    });
    after(async () => {
      await server?.stop();
      issuer?.close();
      for (const service of [tokens, rights, trail]) service?.close();
    });

    const who = async (token: string): Promise<unknown> => {
      const answer = await server.post(
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
        { identity: null, headers: { authorization: `Bearer ${token}` } },
      );
      return (answer.body['status'] as { userInfo?: unknown } | undefined)?.userInfo ?? answer.status;
    };
    /** Self reviews are permitted to all, but the authorization service is queried first. */
    const tokenOf = async (account: string, spec: object = {}): Promise<{ token: string; headers: Readonly<Record<string, unknown>> }> => {
      await server.post(accounts, { metadata: { name: account } });
      const answer = await server.post(`${accounts}/${account}/token`, { spec });
      expect(answer.status, answer.text).to.equal(201);
      return { token: (answer.body['status'] as { token: string }).token, headers: answer.headers };
    };

    probe('anonymous-auth', async () => {
      expect((await server.ask({ path: '/version', identity: null })).status).to.equal(401);
    });
    probe('token-auth-file', async () => {
      expect(await who('fixed-token')).to.deep.include({ username: 'carol', uid: '1', groups: ['devs', 'ops', 'system:authenticated'] });
    });
    probe('enable-bootstrap-token-auth', async () => {
      const made = await server.post('/api/v1/namespaces/kube-system/secrets', {
        metadata: { name: 'bootstrap-token-abcdef' },
        type: 'bootstrap.kubernetes.io/token',
        stringData: { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true' },
      });
      expect(made.status, made.text).to.equal(201);
      expect(
        await eventually(
          () => who('abcdef.0123456789abcdef'),
          (user) => user !== 401,
        ),
      ).to.deep.include({
        username: 'system:bootstrap:abcdef',
      });
    });
    probe('oidc-issuer-url', async () => {
      const right = { nick: 'ann', teams: ['devs'], site: 'home' };
      const good = await issuer.sign(right);
      expect(
        await eventually(
          () => who(good),
          (user) => user !== 401,
        ),
      ).to.deep.include({
        username: 'oidc:ann',
        groups: ['g:devs', 'system:authenticated'],
      });
      for (const wrong of [
        { ...right, aud: 'you' },
        { ...right, site: 'away' },
        { ...right, nick: undefined },
        { ...right, iss: 'https://x' },
      ])
        expect(await who(await issuer.sign(wrong)), JSON.stringify(wrong)).to.equal(401);
    });
    probe('authentication-token-webhook-config-file', async () => {
      tokens.replies = [{ authenticated: true, user: { username: 'dora', groups: ['x'] }, audiences: ['here'] }];
      tokens.questions.length = 0;
      expect(await who('opaque')).to.deep.include({ username: 'dora' });
      tokens.replies = [{ authenticated: false }];
      expect(await who('opaque')).to.deep.include({ username: 'dora' });
      expect(tokens.questions.map(({ apiVersion }) => apiVersion)).to.deep.equal(['authentication.k8s.io/v1']);
    });
    probe('authorization-mode', async () => {
      const as = { identity: null, headers: { authorization: 'Bearer fixed-token' } };
      expect((await server.ask({ path: maps, ...as })).status).to.equal(200);
      expect((await server.ask({ path: '/api/v1/namespaces/default/secrets', ...as })).status).to.equal(403);
    });
    probe('authorization-webhook-config-file', async () => {
      const dora = await identities.issue({ name: 'dora' });
      const read = async (): Promise<number> => (await server.ask({ path: '/api/v1/namespaces/default/pods', identity: dora })).status;
      rights.questions.length = 0;
      expect([await read(), await read()]).to.deep.equal([403, 403]);
      expect(rights.questions).to.have.length(2);
      rights.replies = [{ allowed: true }];
      expect(await read()).to.equal(200);
      rights.replies = [{ allowed: false }];
      expect(await read()).to.equal(200);
      expect(rights.questions.map(({ apiVersion }) => apiVersion)).to.deep.equal(Array(3).fill('authorization.k8s.io/v1'));
    });
    probe('service-account-issuer', async () => {
      const { token } = await tokenOf('one');
      expect(claimsOf(token)).to.deep.include({ iss: 'https://one.example', aud: ['here', 'there'] });
      expect(await who(token)).to.deep.include({ username: 'system:serviceaccount:default:one' });
      expect((await server.ask('/.well-known/openid-configuration')).body).to.deep.include({
        issuer: 'https://one.example',
        jwks_uri: 'https://keys.example/all',
      });
      expect((await server.ask('/openid/v1/jwks')).body['keys']).to.have.length(2);
    });
    probe('service-account-max-token-expiration', async () => {
      const long = await tokenOf('two', { expirationSeconds: 36_000 });
      const { exp, iat } = claimsOf(long.token) as { exp: number; iat: number };
      expect([exp - iat, String(long.headers['warning'])]).to.satisfy(
        ([life, warning]: [number, string]) => life === 7_200 && warning.includes('shortened'),
      );
      await server.post('/api/v1/namespaces/default/pods', {
        metadata: { name: 'p' },
        spec: { serviceAccountName: 'two', containers: [{ name: 'c', image: 'i' }] },
      });
      const bound = await tokenOf('two', { expirationSeconds: 3_607, boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } });
      const mounted = claimsOf(bound.token) as { exp: number; iat: number };
      expect(mounted.exp - mounted.iat).to.equal(3_607);
    });
    probe('service-account-lookup', async () => {
      const { token: issued } = await tokenOf('three');
      await server.ask({ method: 'DELETE', path: `${accounts}/three` });
      const kept = signed(accountKey, {
        iss: 'kubernetes/serviceaccount',
        sub: 'system:serviceaccount:default:three',
        'kubernetes.io/serviceaccount/namespace': 'default',
        'kubernetes.io/serviceaccount/service-account.name': 'three',
        'kubernetes.io/serviceaccount/service-account.uid': 'u',
        'kubernetes.io/serviceaccount/secret.name': 'gone',
      });
      expect(await who(kept)).to.deep.include({ username: 'system:serviceaccount:default:three' });
      expect(await who(issued)).to.equal(401);
    });
    probe('audit-policy-file', async () => {
      await server.post(maps, { metadata: { name: 'written-down' } });
      await server.ask(maps);
      const lines = fs.readFileSync(auditLog, 'utf8').trimEnd().split('\n');
      expect(lines.at(-1)).to.match(/AUDIT: id="[^"]+" stage="ResponseComplete" .*uri="\/api\/v1\/namespaces\/default\/configmaps/);
      expect(lines.filter((line) => line.includes('method="list"'))).to.deep.equal([]);
    });
    probe('audit-webhook-config-file', async () => {
      type Sent = { apiVersion: string; items: { requestObject?: unknown; annotations?: Record<string, string> }[] };
      trail.questions.length = 0;
      await server.post(maps, { metadata: { name: 'small' } });
      await server.post(maps, { metadata: { name: 'large' }, data: { a: 'x'.repeat(5_000) } });
      const [small, large] = trail.questions as unknown as [Sent, Sent];
      expect([small.apiVersion, small.items[0]?.requestObject !== undefined]).to.deep.equal(['audit.k8s.io/v1', true]);
      expect(large.items[0]?.requestObject).to.equal(undefined);
      expect(large.items[0]?.annotations?.['audit.k8s.io/truncated']).to.equal('true');
    });
  });

  describe('an API server with an audit log that rotates and is written in batches', function () {
    let server: ServerUnderProbe;
    let trail: ReviewService;
    const folder = temporaryDirectory('trail');
    const auditLog = path.join(folder, 'audit.log');
    const fromElsewhere = path.join(folder, 'audit-2001-01-01T00-00-00.000.log');

    before(async () => {
      const identities = await createIdentities();
      trail = await startReviewService(identities, 'trail');
      trail.replies = [503, {}];
      fs.writeFileSync(fromElsewhere, 'old\n');
      const policy = path.join(folder, 'policy.json');
      fs.writeFileSync(
        policy,
        JSON.stringify({
          apiVersion: 'audit.k8s.io/v1',
          kind: 'Policy',
          omitStages: ['RequestReceived'],
          rules: [
            { level: 'RequestResponse', resources: [{ group: '', resources: ['configmaps'] }], verbs: ['create'] },
            { level: 'None' },
          ],
        }),
      );
      server = await ServerUnderProbe.start(identities, [
        `--audit-policy-file=${policy}`,
        `--audit-log-path=${auditLog}`,
        '--audit-log-version=audit.k8s.io/v1',
        '--audit-log-mode=batch',
        '--audit-log-batch-max-size=4',
        '--audit-log-batch-max-wait=1h',
        '--audit-log-truncate-enabled',
        '--audit-log-truncate-max-event-size=700000',
        '--audit-log-truncate-max-batch-size=700001',
        '--audit-log-maxsize=1',
        '--audit-log-maxbackup=2',
        '--audit-log-maxage=5',
        '--audit-log-compress',
        `--audit-webhook-config-file=${trail.kubeconfig}`,
        '--audit-webhook-batch-max-size=3',
        '--audit-webhook-batch-max-wait=1h',
        '--audit-webhook-batch-throttle-enable',
        '--audit-webhook-batch-throttle-qps=0.001',
        '--audit-webhook-batch-throttle-burst=1',
        '--audit-webhook-initial-backoff=50ms',
      ]);
    });
    after(async () => {
      await server?.stop();
      trail?.close();
    });
    const create = (name: string, bytes = 0): Promise<unknown> => server.post(maps, { metadata: { name }, data: { a: 'x'.repeat(bytes) } });
    const lines = (): string[] => (fs.existsSync(auditLog) ? fs.readFileSync(auditLog, 'utf8').split('\n').slice(0, -1) : []);

    probe('audit-log-mode', async () => {
      for (const name of ['a', 'b', 'c']) await create(name);
      expect(lines()).to.deep.equal([]);
      await create('d');
      const written = await eventually(lines, (all) => all.length > 0);
      expect(written.map((line) => (JSON.parse(line) as { apiVersion: string }).apiVersion)).to.deep.equal(
        Array(4).fill('audit.k8s.io/v1'),
      );
    });
    probe('audit-webhook-batch-max-size', async () => {
      await eventually(
        () => trail.questions.length,
        (count) => count === 2,
      );
      for (const name of ['e', 'f', 'g', 'h']) await create(name);
      await eventually(lines, (all) => all.length === 8);
      const sent = trail.questions.map(({ items }) => (items as { objectRef: { name: string } }[]).map(({ objectRef }) => objectRef.name));
      expect(sent).to.deep.equal([
        ['a', 'b', 'c'],
        ['a', 'b', 'c'],
      ]);
    });
    probe('audit-log-maxsize', async () => {
      for (let index = 0; index < 16; index++) await create(`big-${index}`, index === 0 ? 500_000 : 250_000);
      const cut = (text: string): number => text.split('\n').filter((line) => line.includes('audit.k8s.io/truncated')).length;
      const old = await eventually(
        () =>
          fs
            .readdirSync(folder)
            .filter((name) => /^audit-.*\.gz$/.test(name))
            .map((name) => unzipped(path.join(folder, name))),
        (texts) => texts.length === 2 && !texts.includes(null) && !fs.existsSync(fromElsewhere),
      );
      const all = [...old, ...lines()].join('\n');
      expect(all).to.contain('"name":"big-1');
      expect(cut(all), 'those of 500 kB have their object twice').to.be.below(2);
    });
  });
}
