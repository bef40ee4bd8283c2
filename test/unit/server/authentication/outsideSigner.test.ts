import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'chai';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { JsonObject } from '../../../../api/object.js';
import { awaitSigner } from '../../../../server/authentication/serviceaccount/external/awaitedSigner.js';
import { createSignerMeasures } from '../../../../server/authentication/serviceaccount/external/measures.js';
import { connectSigner, type ExternalSigner } from '../../../../server/authentication/serviceaccount/external/signer.js';
import { signatureCheck } from '../../../../server/authentication/serviceaccount/signatures.js';
import { readApiServerOptions } from '../../../../server/options/read.js';
import { startServer, type RunningServer } from '../../../../server/server.js';
import { createMetrics } from '../../../../server/http/metrics.js';
import { shownSeries } from '../../../fixtures/shownSeries.js';
import { OutsideSigner } from '../../../fixtures/outsideSigner.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';
import { call1, recordingLogger, type Answer } from '../../../fixtures/frontDoor.js';
import { createIdentities, type Identities, type Identity } from '../../../fixtures/identities.js';

describe('a signer outside', function () {
  let service: OutsideSigner;
  const signers: ExternalSigner[] = [];
  beforeEach(async () => {
    service = new OutsideSigner();
    await service.start();
  });
  afterEach(() => {
    for (const signer of signers.splice(0)) signer.stop();
    service.stop();
  });
  const connect = async (renewalIntervalMs = 0): Promise<ExternalSigner> => {
    const signer = await connectSigner({ socket: service.socket, failed: () => {}, renewalIntervalMs });
    signers.push(signer);
    return signer;
  };
  const failureOf = (promise: Promise<unknown>): Promise<string> =>
    promise.then(
      () => 'nothing is wrong',
      (error: unknown) => (error as Error).message,
    );

  it('signs what can be verified with its keys, also after it has rotated them', async () => {
    const signer = await connect();
    const check = signatureCheck<JsonObject>({ keys: signer.keys, issuers: ['https://i.test'], read: (payload) => payload });
    const { sign } = signer.issuer('https://i.test');
    const first = await sign({ iss: 'https://i.test', sub: 'a' });
    expect(await check(first)).to.deep.equal({ iss: 'https://i.test', sub: 'a' });
    service.rotate('key-2');
    const second = await sign({ iss: 'https://i.test', sub: 'b' });
    expect(await check(second)).to.have.property('sub', 'b');
    expect(await check(first)).to.equal('no key of this cluster has signed the token');
    expect(signer.keys.maxAgeSeconds).to.be.within(590, 600);
  });
  it('is measured by the answers that it gives', async () => {
    const { registry } = createMetrics({}, false);
    const measures = createSignerMeasures(registry);
    const signer = await connectSigner({ socket: service.socket, failed: () => {}, measures });
    signers.push(signer);
    const { sign } = signer.issuer('i');
    await sign({});
    service.header = { alg: 'none' };
    await failureOf(sign({}));
    const shown = (name: string): ReturnType<typeof shownSeries> => shownSeries(registry, `apiserver_externaljwt_${name}`);
    expect(await shown('sign_request_total')).to.deep.equal({ 'code="OK"': 1, 'code="unknown-non-grpc"': 1 });
    expect(await shown('fetch_keys_request_total')).to.deep.equal({ 'code="OK"': 1 });
    expect((await shown('request_duration_seconds'))['code="OK",method="/v1.ExternalJWTSigner/Sign"']).to.equal(2);
    expect((await shown('fetch_keys_success_timestamp'))['']).to.be.greaterThan(1.7e9);
    expect(await shown('fetch_keys_data_timestamp')).to.deep.equal({ '': 1 });
  });
  it('may listen on an abstract socket', async () => {
    const abstract = new OutsideSigner(`@raftplane-signer-${randomUUID()}`);
    await abstract.start();
    signers.push(await connectSigner({ socket: abstract.socket, failed: () => {} }));
    abstract.stop();
  });
  it('is asked for keys once in a while however many unknown ones are named', async () => {
    const signer = await connect(3_600_000);
    const check = signatureCheck<JsonObject>({ keys: signer.keys, issuers: ['i'], read: (payload) => payload });
    service.rotate('key-2');
    for (let i = 0; i < 3; i++) expect(await check(`${part({ alg: 'ES256', kid: `k${i}` })}.${part({ iss: 'i' })}.AAAA`)).to.be.a('string');
    expect(service.calls['FetchKeys']).to.equal(2);
  });
  it('must not sign with keys that nobody knows of, or say more in headers than it should', async () => {
    const { sign } = (await connect()).issuer('i');
    service.rotate('hidden', { excluded: true });
    expect(await failureOf(sign({}))).to.match(
      /while validating header: key used for signing JWT \(kid: hidden\) is excluded from OIDC discovery docs/,
    );
    service.rotate('key-3');
    for (const [header, message] of [
      [{ jku: 'https://evil.test' }, /validating header: .*unknown field "jku"/],
      [{ alg: 'none' }, /validating header: bad signing algorithm "none"/],
      [{ alg: 'HS256' }, /validating header: bad signing algorithm "HS256"/],
      [{ typ: 'at+jwt' }, /validating header: bad type/],
      [{ kid: '' }, /validating header: key id missing/],
      [{ kid: 'x'.repeat(2_000) }, /validating header: key id longer than 1 kb/],
    ] as const) {
      service.header = header;
      expect(await failureOf(sign({})), JSON.stringify(header).slice(0, 40)).to.match(message);
    }
  });
  it('keeps the server from starting when it is not there or answers nonsense', async () => {
    const problem = (): Promise<string> => failureOf(connect());
    expect(await failureOf(connectSigner({ socket: '/nope.sock', failed: () => {}, timeoutMs: 500 }))).to.match(
      /^--service-account-signing-endpoint: the signer at \/nope\.sock cannot be used: Metadata: rpc error: code = DeadlineExceeded/,
    );
    service.maxTokenExpirationSeconds = 599;
    expect(await problem()).to.match(/at most 599 seconds; at least 600/);
    service.maxTokenExpirationSeconds = 600;
    service.refreshHintSeconds = 0;
    expect(await problem()).to.match(/hint/);
    service.refreshHintSeconds = 1;
    service.keys = [];
    expect(await problem()).to.match(/no keys/);
    service.rotate('');
    expect(await problem()).to.match(/id of 0 characters/);
  });

  it('is waited for in the background where it is not there, and must do what is asked of it', async () => {
    service.stop();
    let said = 0;
    const came = new Promise<void>((resolve) => {
      void awaitSigner({
        socket: service.socket,
        timeoutMs: 500,
        startTimeoutMs: 1,
        retryMs: 1,
        check: () => {
          said++;
          if (said === 1) throw new Error('not such a one');
        },
        failed: () => {},
        away: () => {},
        came: resolve,
      }).then((signer) => {
        signers.push(signer);
      });
    });
    const late = new OutsideSigner(service.socket);
    try {
      await late.start();
      await came;
      expect(said).to.equal(2);
      const [signer] = signers;
      expect(signer?.keys.current.map(({ id }) => id)).to.deep.equal(['key-1']);
      expect(await signer?.issuer('i').sign({ iss: 'i' })).to.be.a('string');
    } finally {
      late.stop();
    }
  });

  it('signs what was asked of it before it came, and nothing once the server stops', async () => {
    service.stop();
    const wait = (): Promise<ExternalSigner> =>
      awaitSigner({
        socket: service.socket,
        startTimeoutMs: 1,
        retryMs: 1,
        check: () => {},
        failed: () => {},
        away: () => {},
        came: () => {},
      });
    const [waiting, stopped] = [await wait(), await wait()];
    signers.push(waiting);
    const [token, refused] = [waiting.issuer('i').sign({ iss: 'i' }), stopped.issuer('i').sign({ iss: 'i' })];
    stopped.stop();
    expect(await failureOf(refused)).to.equal('the signer of service account tokens has not been reached yet');
    const late = new OutsideSigner(service.socket);
    await late.start();
    expect(decodeJwt(await token)).to.deep.equal({ iss: 'i' });
    late.stop();
  });

  describe('beside a server', () => {
    let identities: Identities;
    let serving: Identity;
    let admin: Identity;
    before(async () => {
      identities = await createIdentities();
      serving = await identities.issue({ name: 'server', usage: 'serverAuth' });
      admin = await identities.issue({ name: 'admin', groups: ['system:masters'] });
    });
    const start = async (...more: string[]): Promise<RunningServer> => {
      const options = readApiServerOptions([
        '--bind-address=127.0.0.1',
        '--secure-port=0',
        '--authorization-mode=RBAC',
        `--raft-data-dir=${join(temporaryDirectory('signed'), 'data')}`,
        `--client-ca-file=${identities.caFile}`,
        `--tls-cert-file=${serving.certFile}`,
        `--tls-private-key-file=${serving.keyFile}`,
        '--service-account-issuer=https://cluster.test,https://old.test',
        `--service-account-signing-endpoint=${service.socket}`,
        ...more,
      ]);
      if (!options.ok) throw new Error(options.errors.join('\n'));
      return startServer(options.options, recordingLogger([]));
    };

    it('signs the tokens of accounts within its limits, and its keys are published', async () => {
      const server = await start('--service-account-jwks-uri=https://keys.test/jwks');
      await server.ready;
      const send = (method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> =>
        call1(Number(new URL(server.url).port), {
          method,
          path,
          headers: { 'content-type': 'application/json', ...headers },
          ...(headers['authorization'] === undefined ? { identity: admin } : {}),
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
      const accounts = '/api/v1/namespaces/default/serviceaccounts';
      await send('POST', accounts, { metadata: { name: 'robot' } });
      const pod = await send('POST', '/api/v1/namespaces/default/pods', {
        metadata: { name: 'p' },
        spec: { serviceAccountName: 'robot', containers: [{ name: 'c', image: 'i' }] },
      });
      const request = async (spec: object): Promise<{ token: string; claims: Record<string, number>; headers: Answer['headers'] }> => {
        const answer = await send('POST', `${accounts}/robot/token`, { spec });
        expect(answer.status, answer.text).to.equal(201);
        const { token } = answer.body['status'] as { token: string };
        return { token, claims: decodeJwt(token) as Record<string, number>, headers: answer.headers };
      };
      const lifetime = ({ claims: { exp = 0, iat = 0 } }: { claims: Record<string, number> }): number => exp - iat;
      const plain = await request({ expirationSeconds: 900 });
      expect([decodeProtectedHeader(plain.token).kid, lifetime(plain)]).to.deep.equal(['key-1', 900]);
      const long = await request({ expirationSeconds: 100_000 });
      expect([lifetime(long), String(long.headers['warning'])]).to.deep.equal([
        7_200,
        '299 - "requested expiration of 100000 seconds shortened to 7200 seconds"',
      ]);
      const mounted = await request({
        expirationSeconds: 3_607,
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: (pod.body['metadata'] as { uid: string }).uid },
      });
      expect(lifetime(mounted)).to.equal(7_200);
      expect((await send('GET', '/api', undefined, { authorization: `Bearer ${mounted.token}` })).status).to.equal(200);
      service.rotate('key-2', { keepOld: true });
      expect((await send('GET', '/api', undefined, { authorization: `Bearer ${(await request({})).token}` })).status).to.equal(200);
      const keys = await send('GET', '/openid/v1/jwks');
      expect((keys.body['keys'] as { kid: string }[]).map(({ kid }) => kid)).to.deep.equal(['key-1', 'key-2']);
      expect(keys.headers['cache-control']).to.match(/^public, max-age=(5\d\d|600)$/);
      expect((await send('GET', '/.well-known/openid-configuration')).body).to.deep.include({
        issuer: 'https://cluster.test',
        jwks_uri: 'https://keys.test/jwks',
      });
      await server.stop();
    });
    it('and the options about lifetime count as with keys of its own; that about look-up frees no issued token', async () => {
      const server = await start(
        '--service-account-extend-token-expiration=false',
        '--service-account-lookup=false',
        '--service-account-max-token-expiration=1h30m',
      );
      await server.ready;
      const send = (method: string, path: string, body?: object): Promise<Answer> =>
        call1(Number(new URL(server.url).port), {
          method,
          path,
          headers: { 'content-type': 'application/json' },
          identity: admin,
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
      const accounts = '/api/v1/namespaces/default/serviceaccounts';
      await send('POST', accounts, { metadata: { name: 'robot' } });
      await send('POST', '/api/v1/namespaces/default/pods', {
        metadata: { name: 'p' },
        spec: { serviceAccountName: 'robot', containers: [{ name: 'c', image: 'i' }] },
      });
      const tokenFor = async (spec: object): Promise<string> =>
        ((await send('POST', `${accounts}/robot/token`, { spec })).body['status'] as { token: string }).token;
      const lifetime = (token: string): number => {
        const { exp = 0, iat = 0 } = decodeJwt(token);
        return exp - iat;
      };
      const mounted = await tokenFor({ expirationSeconds: 3_607, boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'p' } });
      expect([lifetime(mounted), lifetime(await tokenFor({ expirationSeconds: 7_000 }))]).to.deep.equal([3_607, 5_400]);
      const allowed = await call1(Number(new URL(server.url).port), { path: '/api', headers: { authorization: `Bearer ${mounted}` } });
      expect(allowed.status).to.equal(200);
      await send('DELETE', '/api/v1/namespaces/default/pods/p?gracePeriodSeconds=0');
      await send('DELETE', `${accounts}/robot`);
      // Only tokens in secrets stay good (kubeapiserver/authenticator/config.go).
      const answer = await call1(Number(new URL(server.url).port), { path: '/api', headers: { authorization: `Bearer ${mounted}` } });
      expect(answer.status).to.equal(401);
      await server.stop();
    });
    it('must sign for as long as the server was told to allow', async () => {
      expect(await failureOf(start('--service-account-max-token-expiration=3h'))).to.match(
        /asks for 10800 seconds; the signer .* at most 7200/,
      );
    });
  });
});

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
