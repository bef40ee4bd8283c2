import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readApiServerOptions } from '../../../../server/options/read.js';
import type { Logger } from '../../../../program/log/logger.js';
import { startServer, type RunningServer } from '../../../../server/server.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';
import { call1, call2, recordingLogger, type Answer, type Call } from '../../../fixtures/frontDoor.js';
import { createIdentities, type Identity } from '../../../fixtures/identities.js';

/** A logger at the highest verbosity. */
function everythingLogged(lines: string[]): Logger {
  const { info } = recordingLogger(lines);
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
  return log;
}

/** A server with all ways to authenticate, and users who must not get through. */
describe('the doors of a server', function () {
  let server: RunningServer;
  let admin: Identity;
  let ann: Identity;
  const logged: string[] = [];
  /** Every secret that the server saw or returned. */
  const secrets: string[] = ['st4tic-t0ken'];

  const send = (call: Call): Promise<Answer> => call1(Number(new URL(server.url).port), call);
  const json = { 'content-type': 'application/json' };
  const asAdmin = (method: string, path: string, body?: object, headers: Record<string, string | string[]> = json): Promise<Answer> =>
    send({ method, path, identity: admin, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const asAnn = (method: string, path: string, body?: object, headers: Record<string, string | string[]> = json): Promise<Answer> =>
    send({ method, path, identity: ann, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const withToken = (token: string, path: string): Promise<Answer> => send({ path, headers: { authorization: `Bearer ${token}` } });
  const whoAmI = async (call: Call): Promise<unknown> => {
    const answer = await send({
      ...call,
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      headers: { ...json, ...call.headers },
      body: '{}',
    });
    return answer.status === 201 ? (answer.body['status'] as { userInfo: object }).userInfo : answer.status;
  };
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const create = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const answer = await asAdmin('POST', path, body);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  };
  const grant = async (name: string, rules: object[], namespace = ''): Promise<void> => {
    await create(`${rbac}/clusterroles`, { metadata: { name }, rules });
    const binding = {
      metadata: { name },
      roleRef: { kind: 'ClusterRole', name, apiGroup: 'rbac.authorization.k8s.io' },
      subjects: [{ kind: 'User', name: 'ann' }],
    };
    await create(namespace === '' ? `${rbac}/clusterrolebindings` : `${rbac}/namespaces/${namespace}/rolebindings`, binding);
  };
  const take = async (name: string): Promise<void> => {
    await asAdmin('DELETE', `${rbac}/clusterrolebindings/${name}`);
    await asAdmin('DELETE', `${rbac}/clusterroles/${name}`);
  };

  before(async () => {
    const directory = temporaryDirectory('doors');
    const identities = await createIdentities();
    const serving = await identities.issue({ name: 'server', usage: 'serverAuth' });
    admin = await identities.issue({ name: 'admin', groups: ['system:masters'] });
    ann = await identities.issue({ name: 'ann' });
    const keys = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    secrets.push(keys.privateKey.split('\n')[3]!);
    const file = (name: string, text: string): string => {
      writeFileSync(join(directory, name), text);
      return join(directory, name);
    };
    const options = readApiServerOptions([
      '--bind-address=127.0.0.1',
      '--secure-port=0',
      '--authorization-mode=Node,RBAC',
      `--raft-data-dir=${join(directory, 'data')}`,
      `--client-ca-file=${identities.caFile}`,
      '--v=9',
      `--tls-cert-file=${serving.certFile}`,
      `--tls-private-key-file=${serving.keyFile}`,
      '--service-account-issuer=https://cluster.test',
      '--enable-bootstrap-token-auth',
      `--service-account-signing-key-file=${file('sa.key', keys.privateKey)}`,
      `--service-account-key-file=${file('sa.pub', keys.publicKey)}`,
      `--token-auth-file=${file('tokens.csv', 'st4tic-t0ken,carl,7,team\n')}`,
    ]);
    if (!options.ok) throw new Error(options.errors.join('\n'));
    server = await startServer(options.options, everythingLogged(logged));
    await server.ready;
    for (const name of ['ns', 'other']) await create('/api/v1/namespaces', { metadata: { name } });
    await create('/api/v1/namespaces/ns/serviceaccounts', { metadata: { name: 'robot' } });
    await create('/api/v1/namespaces/other/configmaps', { metadata: { name: 'hidden' } });
  });
  after(() => server.stop());

  describe('tokens', () => {
    const issue = async (name: string, spec: object = {}): Promise<string> => {
      const { status } = (await create(`/api/v1/namespaces/ns/serviceaccounts/${name}/token`, { spec })) as { status: { token: string } };
      secrets.push(status.token, status.token.split('.')[2]!);
      return status.token;
    };
    it('name the account that they were issued for, over both protocols', async () => {
      const token = await issue('robot');
      expect(await whoAmI({ path: '', headers: { authorization: `Bearer ${token}` } })).to.deep.include({
        username: 'system:serviceaccount:ns:robot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
      });
      expect(
        (await call2(Number(new URL(server.url).port), { path: '/api', headers: { authorization: `Bearer ${token}` } })).status,
      ).to.equal(200);
    });
    it('of a file name their user', async () => {
      expect(await whoAmI({ path: '', headers: { authorization: 'Bearer st4tic-t0ken' } })).to.deep.equal({
        username: 'carl',
        uid: '7',
        groups: ['team', 'system:authenticated'],
      });
    });
    it('do not replace a certificate that was shown as well', async () => {
      expect(await whoAmI({ path: '', identity: ann, headers: { authorization: 'Bearer st4tic-t0ken' } })).to.deep.include({
        username: 'ann',
      });
    });
    it('that nobody knows are refused where no token at all would do', async () => {
      expect((await send({ path: '/healthz' })).status).to.equal(200);
      for (const token of ['x', 'st4tic-t0ke', 'a.b.c', 'eyJhbGciOiJub25lIn0.e30.', 'abcdef.0123456789abcdef'])
        expect((await withToken(token, '/healthz')).status, token).to.equal(401);
    });
    it('end with their account, and with what they are bound to', async () => {
      await create('/api/v1/namespaces/ns/serviceaccounts', { metadata: { name: 'brief' } });
      await create('/api/v1/namespaces/ns/secrets', { metadata: { name: 'leash' } });
      const [plain, bound] = [
        await issue('brief'),
        await issue('brief', { boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 'leash' } }),
      ];
      expect([(await withToken(plain, '/api')).status, (await withToken(bound, '/api')).status]).to.deep.equal([200, 200]);
      await asAdmin('DELETE', '/api/v1/namespaces/ns/secrets/leash');
      expect([(await withToken(plain, '/api')).status, (await withToken(bound, '/api')).status]).to.deep.equal([200, 401]);
      await asAdmin('DELETE', '/api/v1/namespaces/ns/serviceaccounts/brief');
      expect((await withToken(plain, '/api')).status).to.equal(401);
    });
    it('for others are no way in here', async () => {
      expect((await withToken(await issue('robot', { audiences: ['https://elsewhere.test'] }), '/api')).status).to.equal(401);
    });
    it('are issued to nobody without the right to', async () => {
      expect((await asAnn('POST', '/api/v1/namespaces/ns/serviceaccounts/robot/token', { spec: {} })).status).to.equal(403);
    });
  });

  describe('headers', () => {
    it('of a front proxy mean nothing from others', async () => {
      const forged = {
        'x-remote-user': 'admin',
        'x-remote-group': 'system:masters',
        'x-remote-extra-scopes': 'all',
        'x-forwarded-for': '127.0.0.1',
      };
      expect(await whoAmI({ path: '', identity: ann, headers: forged })).to.deep.include({
        username: 'ann',
        groups: ['system:authenticated'],
      });
      expect((await send({ path: '/api/v1/nodes', headers: forged })).status).to.equal(403);
    });
    const wanted: [string, Record<string, string | string[]>, string][] = [
      ['a user', { 'impersonate-user': 'bob' }, 'forbidden: User "ann" cannot impersonate-on:user-info:get path "/api"'],
      [
        'an account',
        { 'impersonate-user': 'system:serviceaccount:kube-system:admin' },
        'forbidden: User "ann" cannot impersonate-on:serviceaccount:get path "/api"',
      ],
    ];
    for (const [what, headers, message] of wanted) {
      it(`let nobody act as ${what} without the right to`, async () => {
        const answer = await asAnn('GET', '/api', undefined, headers);
        expect([answer.status, answer.body['message']]).to.deep.equal([403, message]);
      });
    }
    it('let a user act as another one as far as every part of it is granted', async () => {
      await grant('actor', [
        { apiGroups: [''], resources: ['users'], resourceNames: ['bob'], verbs: ['impersonate'] },
        { apiGroups: [''], resources: ['groups'], resourceNames: ['devs'], verbs: ['impersonate'] },
        { apiGroups: ['authentication.k8s.io'], resources: ['uids', 'userextras/scopes'], verbs: ['impersonate'] },
      ]);
      const as = (headers: Record<string, string | string[]>): Promise<unknown> => whoAmI({ path: '', identity: ann, headers });
      expect(
        await as({ 'impersonate-user': 'bob', 'impersonate-group': 'devs', 'impersonate-uid': '1', 'impersonate-extra-scopes': 'view' }),
      ).to.deep.equal({ username: 'bob', uid: '1', groups: ['devs', 'system:authenticated'], extra: { scopes: ['view'] } });
      const beyond: Record<string, string | string[]>[] = [
        { 'impersonate-group': 'system:masters' },
        { 'impersonate-group': ['devs', 'system:masters'] },
        { 'impersonate-extra-other': 'x' },
      ];
      for (const more of beyond) {
        expect(await as({ 'impersonate-user': 'bob', ...more }), JSON.stringify(more)).to.equal(403);
      }
      expect(await as({ 'impersonate-user': 'admin' })).to.equal(403);
      await take('actor');
      expect(await as({ 'impersonate-user': 'bob' })).to.equal(403);
    });
  });

  describe('paths', () => {
    before(() => grant('reader', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }], 'ns'));
    it('lead where the right is, and nowhere else', async () => {
      expect((await asAnn('GET', '/api/v1/namespaces/ns/configmaps')).status).to.equal(200);
      for (const path of [
        '/api/v1/namespaces/other/configmaps',
        '/api/v1/configmaps',
        '/api/v1/namespaces//configmaps',
        '/api/v1/namespaces/other/configmaps/hidden',
        '/api/v1/namespaces/ns/../other/configmaps',
        '/api/v1/namespaces/ns/configmaps/../../other/configmaps',
        '/api/v1/namespaces/ns%2f..%2fother/configmaps',
        '/api/v1/namespaces/ns/%2e%2e/other/configmaps',
        '//api/v1/namespaces/other/configmaps',
        '/api/v1//namespaces/other/configmaps',
        '/api/v1/namespaces/other%00/configmaps',
        '/api/v1/namespaces/ns/configmaps/%2e%2e%2f%2e%2e%2fother%2fconfigmaps%2fhidden',
        '/api/v1/watch/configmaps',
        '/api/v1/proxy/namespaces/ns/configmaps',
        '/api/v1/namespaces/ns/secrets',
        '/api/v1/namespaces/ns/nodes',
        '/api/v1/namespaces/ns/configmaps/x/status',
        '/api/v1/namespaces/ns/configmaps?watch=1',
        '/apis/v1/namespaces/ns/configmaps',
        '/API/v1/namespaces/other/configmaps',
      ]) {
        const answer = await asAnn('GET', path);
        expect(answer.status, `${path}: ${answer.text}`).to.be.oneOf([400, 403, 404]);
        expect(answer.text).to.not.include('"hidden"}');
      }
    });
    it('of a namespace do not reach what has none', async () => {
      await grant('everything-there', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }], 'other');
      for (const path of [
        '/api/v1/namespaces/other/nodes',
        '/api/v1/namespaces/other/namespaces',
        `${rbac}/namespaces/other/clusterroles`,
        '/api/v1/namespaces/other/namespaces/ns',
        '/api/v1/namespaces/other/namespaces/other',
      ])
        expect((await asAnn('GET', path)).status, path).to.equal(404);
      expect((await asAnn('POST', `${rbac}/namespaces/other/clusterroles`, { metadata: { name: 'mine' }, rules: [] })).status).to.equal(
        404,
      );
      expect((await asAnn('GET', '/api/v1/nodes')).status).to.equal(403);
      await asAdmin('DELETE', `${rbac}/namespaces/other/rolebindings/everything-there`);
      expect((await asAnn('GET', '/api/v1/namespaces/other/configmaps')).status).to.equal(403);
    });
  });

  describe('roles', () => {
    const [roles, bindings] = [`${rbac}/namespaces/ns/roles`, `${rbac}/namespaces/ns/rolebindings`];
    const secretsRule = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };
    const own = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] };
    const more =
      /is attempting to grant RBAC permissions not currently held:\n\{APIGroups:\[""\], Resources:\["secrets"\], Verbs:\["get"\]\}/;
    const refused = (answer: Answer): void => {
      expect([answer.status, answer.body['message']].join(' ')).to.match(/^403 /).and.match(more);
    };
    before(() =>
      grant('clerk', [
        {
          apiGroups: ['rbac.authorization.k8s.io'],
          resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
          verbs: ['get', 'list', 'create', 'update', 'patch', 'delete'],
        },
        own,
      ]),
    );

    it('cannot be written with more than their writer holds, whatever the verb', async () => {
      expect((await asAnn('POST', roles, { metadata: { name: 'mine' }, rules: [own] })).status).to.equal(201);
      refused(await asAnn('POST', roles, { metadata: { name: 'more' }, rules: [secretsRule] }));
      refused(await asAnn('POST', roles, { metadata: { generateName: 'more-' }, rules: [secretsRule] }));
      refused(await asAnn('PUT', `${roles}/more`, { metadata: { name: 'more' }, rules: [secretsRule] }));
      refused(await asAnn('PUT', `${roles}/mine`, { metadata: { name: 'mine' }, rules: [own, secretsRule] }));
      for (const [type, patch] of [
        ['application/merge-patch+json', { rules: [secretsRule] }],
        ['application/strategic-merge-patch+json', { rules: [secretsRule] }],
        ['application/json-patch+json', [{ op: 'add', path: '/rules/-', value: secretsRule }]],
      ] as const)
        refused(await asAnn('PATCH', `${roles}/mine`, patch as object, { 'content-type': type }));
      const applied = (name: string): object => ({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name },
        rules: [secretsRule],
      });
      for (const name of ['mine', 'more'])
        refused(
          await asAnn('PATCH', `${roles}/${name}?fieldManager=m&force=true`, applied(name), {
            'content-type': 'application/apply-patch+yaml',
          }),
        );
      expect((await asAnn('GET', `${roles}/mine`)).body['rules']).to.deep.equal([own]);
    });
    it('of the cluster can be written with all paths and aggregations only by those who hold everything', async () => {
      const answer = await asAnn('POST', `${rbac}/clusterroles`, {
        metadata: { name: 'all' },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
      });
      expect([answer.status, answer.body['message']]).to.deep.equal([
        403,
        'clusterroles.rbac.authorization.k8s.io "all" is forbidden: must have cluster-admin privileges to use the aggregationRule',
      ]);
      expect(
        (await asAnn('POST', `${rbac}/clusterroles`, { metadata: { name: 'paths' }, rules: [{ nonResourceURLs: ['*'], verbs: ['get'] }] }))
          .status,
      ).to.equal(403);
    });
    // The reference checks stored objects (pkg/registry/rbac/role/policybased/storage.go).
    it('cannot gain more than their writer holds from the second run of a policy', async () => {
      const policies = '/apis/admissionregistration.k8s.io/v1';
      const kinds = ['roles', 'rolebindings'];
      const change = async (name: string, condition: string, patch: string): Promise<void> => {
        const expression = `[JSONPatch{op: "add", ${patch}}].filter(each, ${condition})`;
        await create(`${policies}/mutatingadmissionpolicies`, {
          metadata: { name },
          spec: {
            matchConstraints: {
              resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: kinds }],
            },
            failurePolicy: 'Fail',
            reinvocationPolicy: 'IfNeeded',
            mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }],
          },
        });
        await create(`${policies}/mutatingadmissionpolicybindings`, { metadata: { name }, spec: { policyName: name } });
      };
      const marked = 'has(object.metadata.labels)';
      const rule = 'Object.rules{apiGroups: [""], resources: ["secrets"], verbs: ["get"]}';
      await change('a', `${marked} && has(object.rules)`, `path: "/rules", value: [${rule}]`);
      await change('b', `${marked} && has(object.roleRef)`, 'path: "/roleRef/name", value: "cluster-admin"');
      await change('c', `!${marked}`, 'path: "/metadata/labels", value: {"marked": ""}');
      const role = { metadata: { name: 'changed' }, rules: [own] };
      const binding = {
        metadata: { name: 'changed' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'clerk' },
        subjects: [{ kind: 'User', name: 'ann', apiGroup: 'rbac.authorization.k8s.io' }],
      };
      const marks = async (path: string, body: object): Promise<boolean> =>
        /secrets|cluster-admin/.test((await asAdmin('POST', `${path}?dryRun=All`, body)).text);
      while (!(await marks(roles, role)) || !(await marks(bindings, binding)));
      refused(await asAnn('POST', roles, role));
      expect((await asAnn('POST', bindings, binding)).text).to.include('is attempting to grant RBAC permissions not currently held');
      for (const name of ['a', 'b', 'c']) await asAdmin('DELETE', `${policies}/mutatingadmissionpolicybindings/${name}`);
      while ((await marks(roles, role)) || (await marks(bindings, binding)));
    });
    it('cannot be bound by those who do not hold them', async () => {
      const binding = (kind: string, name: string): object => ({
        metadata: { name: 'b' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
        subjects: [{ kind: 'User', name: 'eve' }],
      });
      expect((await asAnn('POST', `${rbac}/clusterrolebindings`, binding('ClusterRole', 'cluster-admin'))).status).to.equal(403);
      expect((await asAnn('PUT', `${rbac}/clusterrolebindings/b`, binding('ClusterRole', 'cluster-admin'))).status).to.equal(403);
      expect((await asAnn('POST', `${rbac}/namespaces/ns/rolebindings`, binding('ClusterRole', 'admin'))).status).to.equal(403);
      expect((await asAnn('POST', `${rbac}/namespaces/ns/rolebindings`, binding('Role', 'absent'))).body).to.deep.include({
        code: 404,
        message: 'rolebindings.rbac.authorization.k8s.io "absent" not found',
      });
      expect((await asAnn('POST', `${rbac}/namespaces/ns/rolebindings`, binding('Role', 'mine'))).status).to.equal(201);
      await asAdmin('PUT', `${roles}/mine`, { metadata: { name: 'mine' }, rules: [secretsRule] });
      refused(
        await asAnn(
          'PATCH',
          `${rbac}/namespaces/ns/rolebindings/b`,
          { subjects: [{ kind: 'User', name: 'ann', apiGroup: 'rbac.authorization.k8s.io' }] },
          { 'content-type': 'application/merge-patch+json' },
        ),
      );
    });
    it('lost are lost with the next request', async () => {
      expect((await asAnn('GET', roles)).status).to.equal(200);
      await take('clerk');
      expect((await asAnn('GET', roles)).status).to.equal(403);
    });
  });

  describe('the log', () => {
    it('writes no secret into its log, however much it logs', () => {
      expect(logged.length).to.be.greaterThan(100);
      const lines = logged.join('\n');
      for (const secret of secrets) expect(lines.includes(secret), `${secret.slice(0, 6)}… is in the log`).to.equal(false);
    });
  });
});
