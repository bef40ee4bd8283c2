import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readApiServerOptions } from '../../../../server/options/read.js';
import type { Logger } from '../../../../program/log/logger.js';
import { startServer, type RunningServer } from '../../../../server/server.js';
import { startReviewService, type ReviewService } from '../../../fixtures/reviewService.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';
import { startTokenIssuer, type TokenIssuer } from '../../../fixtures/tokenIssuer.js';
import { call1, recordingLogger, type Answer, type Call } from '../../../fixtures/frontDoor.js';
import { createIdentities, type Identity } from '../../../fixtures/identities.js';

/** A server whose authentication and authorization are configured in files, with an issuer, two services and a front proxy. */
describe('a server with doors by configuration', function () {
  let server: RunningServer;
  let issuer: TokenIssuer;
  let tokens: ReviewService;
  let rights: ReviewService;
  let admin: Identity;
  let proxy: Identity;
  const directory = temporaryDirectory('configured');
  const [authentication, authorization] = [join(directory, 'authn.yaml'), join(directory, 'authz.yaml')];
  const logged: string[] = [];
  const secrets: string[] = [];

  const send = (call: Call): Promise<Answer> => call1(Number(new URL(server.url).port), call);
  const json = { 'content-type': 'application/json' };
  const post = (call: Partial<Call>, path: string, body: object): Promise<Answer> =>
    send({ ...call, method: 'POST', path, headers: { ...json, ...call.headers }, body: JSON.stringify(body) });
  const whoAmI = async (call: Partial<Call>): Promise<unknown> => {
    const answer = await post(call, '/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
    return answer.status === 201 ? (answer.body['status'] as { userInfo: object }).userInfo : answer.status;
  };
  const bearer = (token: string): Partial<Call> => {
    secrets.push(token.split('.').at(-1)!);
    return { headers: { authorization: `Bearer ${token}` } };
  };
  const write = (file: string, kind: string, rest: object): void => {
    writeFileSync(file, JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind, ...rest }));
  };
  let configure: (prefix: string) => void;
  /** Files are polled every two seconds. */
  const until = async (holds: () => Promise<boolean>): Promise<void> => {
    while (!(await holds()))
      await new Promise((resolve) => {
        setTimeout(resolve, 100);
      });
  };

  before(async () => {
    const [identities, proxies] = [await createIdentities(), await createIdentities('front proxies')];
    issuer = await startTokenIssuer(await identities.issue({ name: '127.0.0.1', usage: 'serverAuth', ip: ['127.0.0.1'] }));
    [tokens, rights] = [await startReviewService(identities, 'tokens'), await startReviewService(identities, 'rights')];
    const serving = await identities.issue({ name: 'server', usage: 'serverAuth' });
    admin = await identities.issue({ name: 'admin', groups: ['system:masters'] });
    proxy = await proxies.issue({ name: 'proxy' });
    configure = (prefix) => {
      write(authentication, 'AuthenticationConfiguration', {
        jwt: [
          {
            issuer: { url: issuer.url, certificateAuthority: identities.ca, audiences: ['me'] },
            claimMappings: { username: { claim: 'sub', prefix }, groups: { expression: '["all"]' } },
            userValidationRules: [{ expression: '!user.username.startsWith("system:")' }],
          },
        ],
        anonymous: { enabled: true, conditions: [{ path: '/livez' }] },
      });
    };
    configure('a:');
    write(authorization, 'AuthorizationConfiguration', {
      authorizers: [
        { type: 'RBAC', name: 'rbac' },
        {
          type: 'Webhook',
          name: 'rights',
          webhook: {
            authorizedTTL: '1ms',
            unauthorizedTTL: '1ms',
            timeout: '2s',
            subjectAccessReviewVersion: 'v1',
            failurePolicy: 'NoOpinion',
            connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: rights.kubeconfig },
            matchConditionSubjectAccessReviewVersion: 'v1',
            matchConditions: [{ expression: 'has(request.resourceAttributes) && request.resourceAttributes.resource == "configmaps"' }],
          },
        },
      ],
    });
    const options = readApiServerOptions([
      '--bind-address=127.0.0.1',
      '--secure-port=0',
      `--raft-data-dir=${join(directory, 'data')}`,
      '--v=9',
      `--client-ca-file=${identities.caFile}`,
      `--tls-cert-file=${serving.certFile}`,
      `--tls-private-key-file=${serving.keyFile}`,
      `--authentication-config=${authentication}`,
      `--authorization-config=${authorization}`,
      `--authentication-token-webhook-config-file=${tokens.kubeconfig}`,
      '--authentication-token-webhook-version=v1',
      '--authentication-token-webhook-cache-ttl=0s',
      `--requestheader-client-ca-file=${proxies.caFile}`,
      '--requestheader-allowed-names=proxy',
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      '--requestheader-uid-headers=X-Remote-Uid',
    ]);
    if (!options.ok) throw new Error(options.errors.join('\n'));
    expect(options.withoutEffect).to.deep.equal([]);
    const { info } = recordingLogger(logged);
    const log: Logger = {
      error: info,
      warn: info,
      info,
      debug: (_level, event, fields) => {
        info(event, fields);
      },
      enabled: () => true,
      named: () => log,
    };
    tokens.replies = [{ authenticated: false }];
    rights.replies = [{ allowed: false }];
    server = await startServer(options.options, log);
    await server.ready;
    await until(async () => (await whoAmI(bearer(await issuer.sign()))) !== 401);
  });
  after(async () => {
    await server.stop();
    for (const part of [issuer, tokens, rights]) part.close();
  });

  it('lets nobody in without credentials but where it says', async () => {
    expect([
      (await send({ path: '/livez' })).status,
      (await send({ path: '/readyz' })).status,
      (await send({ path: '/livez/' })).status,
      (await send({ path: '/api' })).status,
    ]).to.deep.equal([200, 401, 401, 401]);
  });
  it('knows users of the issuer, of the service, and of the proxy', async () => {
    expect(await whoAmI(bearer(await issuer.sign()))).to.deep.equal({ username: 'a:ann', groups: ['all', 'system:authenticated'] });
    expect(await whoAmI(bearer(await issuer.sign({ sub: 'x', aud: 'you' })))).to.equal(401);
    tokens.replies = [{ authenticated: true, user: { username: 'tom' } }];
    expect(await whoAmI(bearer('opaque.s3cretpart'))).to.deep.equal({ username: 'tom', groups: ['system:authenticated'] });
    tokens.replies = [{ authenticated: false }];
    expect(await whoAmI(bearer('opaque.s3cretpart'))).to.equal(401);
    expect(
      await whoAmI({
        identity: proxy,
        headers: { 'x-remote-user': 'pat', 'x-remote-group': ['g1', 'g2'], 'x-remote-uid': '9', 'x-remote-extra-a': 'b' },
      }),
    ).to.deep.equal({ username: 'pat', uid: '9', groups: ['g1', 'g2', 'system:authenticated'], extra: { a: ['b'] } });
    expect(await whoAmI({ identity: proxy, headers: { 'x-remote-user': 'pat', 'impersonate-user': 'admin' } })).to.equal(403);
  });
  it('tells extension servers whom to trust', async () => {
    const { data } = (await send({ path: '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication', identity: admin }))
      .body as { data: Record<string, string> };
    expect(data).to.deep.include({
      'requestheader-allowed-names': '["proxy"]',
      'requestheader-username-headers': '["X-Remote-User"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-uid-headers': '["X-Remote-Uid"]',
    });
    expect(
      [data['client-ca-file'], data['requestheader-client-ca-file']].every((text) =>
        /^-----BEGIN CERTIFICATE-----\n[^-]+-----END CERTIFICATE-----\n$/.test(text ?? ''),
      ),
    ).to.equal(true);
    expect(
      (
        await send({
          path: '/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking',
          identity: admin,
        })
      ).text,
    ).to.match(/"since":"\d{4}-\d\d-\d\d"/);
  });
  it('reviews tokens by the same ways', async () => {
    const token = await issuer.sign();
    secrets.push(token.split('.')[2]!);
    const review = await post({ identity: admin }, '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } });
    expect(review.body['status']).to.deep.include({ authenticated: true }).and.have.nested.property('user.username', 'a:ann');
  });
  it('asks about what its conditions say, and nothing else', async () => {
    const asPat = (path: string): Promise<Answer> => send({ path, identity: proxy, headers: { 'x-remote-user': 'pat' } });
    const asked = rights.questions.length;
    expect((await asPat('/api/v1/namespaces/default/secrets')).status).to.equal(403);
    expect(rights.questions.length).to.equal(asked);
    expect((await asPat('/api/v1/namespaces/default/configmaps')).status).to.equal(403);
    rights.replies = [{ allowed: true }];
    expect((await asPat('/api/v1/namespaces/default/configmaps')).status).to.equal(200);
    rights.replies = [403];
    expect((await send({ path: '/metrics', identity: admin })).text).to.match(
      /apiserver_authorization_decisions_total\{type="Webhook",name="rights",decision="allowed"\} 1\n/,
    );
    const failed = await asPat('/api/v1/namespaces/default/configmaps');
    expect([failed.status, failed.body['reason']]).to.deep.equal([500, 'InternalError']);
    const access = await post(
      { identity: proxy, headers: { 'x-remote-user': 'pat' } },
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      { spec: { resourceAttributes: { namespace: 'default', verb: 'list', resource: 'configmaps' } } },
    );
    expect(access.body['status'])
      .to.deep.include({ allowed: false })
      .and.have.property('evaluationError')
      .match(/answered 403/);
    const list = await post(
      { identity: proxy, headers: { 'x-remote-user': 'pat' } },
      '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
      { spec: { namespace: 'default' } },
    );
    expect(list.body['status']).to.deep.include({ incomplete: true });
  });
  it('follows both files, keeps what it has when one is broken, and counts that', async () => {
    const counted = async (what: string): Promise<boolean> =>
      new RegExp(`${what}[^\\n]*\\} 1\\n`).test((await send({ path: '/metrics', identity: admin })).text);
    configure('b:');
    writeFileSync(authorization, '{"broken":');
    await until(async () => JSON.stringify(await whoAmI(bearer(await issuer.sign()))).includes('b:ann'));
    await until(() => counted('authorization_config_controller_automatic_reloads_total\\{apiserver_id_hash="[^"]*",status="failure"'));
    expect(await counted('authentication_config_controller_automatic_reloads_total\\{apiserver_id_hash="[^"]*",status="success"')).to.equal(
      true,
    );
    rights.replies = [{ allowed: true }];
    expect(
      (await send({ path: '/api/v1/namespaces/default/configmaps', identity: proxy, headers: { 'x-remote-user': 'pat' } })).status,
    ).to.equal(200);
  });
  it('writes no secret into its log', () => {
    const lines = logged.join('\n');
    expect(logged.length).to.be.greaterThan(30);
    for (const secret of secrets) expect(lines.includes(secret), `${secret.slice(0, 6)}… is in the log`).to.equal(false);
  });
});
