import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { Bystander } from './bystander.js';
import { Target, type User } from './target.js';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const applyType = 'application/apply-patch+yaml';
const mergeType = 'application/merge-patch+json';
const words = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

/** Users with some rights who try to gain more or to overload authorization. */
describe('attacks on rights', function () {
  this.timeout(180_000);
  let target: Target;
  let bystander: Bystander;

  before(async () => {
    target = await Target.start({ flags: ['--enable-admission-plugins=NodeRestriction', '--disable-admission-plugins=ServiceAccount'] });
    bystander = await Bystander.start(target);
    await bystander.served();
  });
  afterEach(() => target.expectAlive());
  after(async () => {
    await bystander.stop();
    await target.stop();
  });

  /** The answer, and the number of the bystander's rounds during it. */
  async function beside<T>(attack: Promise<T>): Promise<T> {
    const [answer] = await Promise.all([attack, bystander.served()]);
    return answer;
  }

  describe('by creation through a change', () => {
    let bob: User;
    before(async () => {
      await target.namespace('creation');
      bob = await target.user('bob', {
        namespace: 'creation',
        rules: [{ verbs: ['get', 'update', 'patch'], apiGroups: ['*'], resources: ['*'] }],
      });
      await target.admin.expect(201, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
        body: {
          metadata: { name: 'wids.creation.example.com' },
          spec: {
            group: 'creation.example.com',
            scope: 'Namespaced',
            names: { plural: 'wids', kind: 'Wid' },
            versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
          },
        },
      });
      while ((await target.admin.request('GET', '/apis/creation.example.com/v1/namespaces/creation/wids')).status !== 200)
        await bystander.answered(1);
    });

    const inside = (group: string, resource: string): string =>
      `${group === '' ? '/api' : `/apis/${group}`}/v1/namespaces/creation/${resource}/made`;
    const applied: readonly (readonly [string, string, string, object])[] = [
      [
        '',
        'secrets',
        'Secret',
        {
          type: 'kubernetes.io/service-account-token',
          metadata: { name: 'made', annotations: { 'kubernetes.io/service-account.name': 'default' } },
        },
      ],
      ['', 'pods', 'Pod', { spec: { hostPID: true, containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }] } }],
      ['', 'configmaps', 'ConfigMap', {}],
      ['coordination.k8s.io', 'leases', 'Lease', {}],
      ['rbac.authorization.k8s.io', 'roles', 'Role', { rules: [] }],
      ['creation.example.com', 'wids', 'Wid', {}],
    ];
    const replaced: readonly (readonly [string, string, string, object])[] = [
      ['', 'endpoints', 'Endpoints', {}],
      ['', 'services', 'Service', { spec: { type: 'ExternalName', externalName: 'a.example.com' } }],
      ['', 'limitranges', 'LimitRange', { spec: { limits: [] } }],
      ['', 'events', 'Event', { involvedObject: { namespace: 'creation' } }],
      ['coordination.k8s.io', 'leases', 'Lease', {}],
      ['rbac.authorization.k8s.io', 'roles', 'Role', { rules: [] }],
    ];
    const ways = [...applied.map((each) => ['PATCH', ...each] as const), ...replaced.map((each) => ['PUT', ...each] as const)];
    for (const [method, group, resource, kind, content] of ways) {
      for (const dryRun of ['', 'dryRun=All']) {
        it(`make nothing by ${method} of ${resource} ${group} ${dryRun}`, async () => {
          const body = { apiVersion: group === '' ? 'v1' : `${group}/v1`, kind, metadata: { name: 'made' }, ...content };
          const query = method === 'PATCH' ? `?fieldManager=m&${dryRun}` : `?${dryRun}`;
          const answer = await bob.client.request(method, `${inside(group, resource)}${query}`, {
            body,
            type: method === 'PATCH' ? applyType : 'application/json',
          });
          expect([answer.status, (answer.body as { message: string }).message]).to.deep.equal([
            403,
            `${resource}${group === '' ? '' : `.${group}`} "made" is forbidden: User "${bob.name}" cannot create resource "${resource}" in API group "${group}" in the namespace "creation"`,
          ]);
          await target.admin.expect(404, 'GET', inside(group, resource));
        });
      }
    }
  });

  it('with a role of 100 x 100 x 100 x 100 names, by the administrator of a namespace, are refused while others are served', async () => {
    await target.namespace('roles');
    const ada = await target.user('ada', {
      namespace: 'roles',
      rules: [
        { verbs: ['get', 'create', 'update', 'patch'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'] },
        { verbs: ['get'], resources: ['pods'] },
      ],
    });
    const post = (rule: object): Promise<{ status: number; body: unknown }> =>
      ada.client.request('POST', `${rbac}/namespaces/roles/roles`, { body: { metadata: { name: 'bomb' }, rules: [rule] } });
    for (const count of [100, 1000]) {
      const rule = {
        apiGroups: words('g', count),
        resources: words('r', count),
        verbs: words('v', count),
        resourceNames: words('n', count),
      };
      const { status, body } = await beside(post(rule));
      expect(status).to.equal(403);
      expect((body as { message: string }).message)
        .to.match(/attempting to grant RBAC permissions not currently held:\n/)
        .and.to.match(/\.\.\. and more$/)
        .and.to.have.length.below(100_000);
    }
    // A binding counts once it exists, and only a user with its rights can create it.
    const rule = {
      apiGroups: ['', ...words('g', 200)],
      resources: ['configmaps', ...words('r', 200)],
      verbs: ['list', ...words('v', 200)],
    };
    const before = target.residentBytes();
    await target.admin.expect(201, 'POST', `${rbac}/namespaces/roles/roles`, { body: { metadata: { name: 'bomb' }, rules: [rule] } });
    await target.admin.expect(201, 'POST', `${rbac}/namespaces/roles/rolebindings`, {
      body: {
        metadata: { name: 'bomb' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'bomb' },
        subjects: [{ kind: 'User', name: 'ada', apiGroup: 'rbac.authorization.k8s.io' }],
      },
    });
    await beside(ada.client.expect(200, 'GET', '/api/v1/namespaces/roles/configmaps'));
    expect(target.residentBytes() - before).to.be.below(200 * 2 ** 20);
  });

  it('with long texts in fields that rules look at are answered while others are served', async () => {
    const rules = [
      { rule: "self.trim() != 'x'" },
      { rule: "!self.contains('no' + self)" },
      { rule: "self == '' || self.lastIndexOf(self.substring(1)) >= -1" },
      { rule: "self.findAll('a*b|a').size() >= 0" },
      { rule: "self.matches('^[0-9]*$') || self.size() >= 0" },
      { rule: '[self].all(x, [x].exists(y, x.startsWith(y)))' },
    ];
    await target.admin.expect(201, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      body: {
        metadata: { name: 'texts.rights.example.com' },
        spec: {
          group: 'rights.example.com',
          scope: 'Namespaced',
          names: { plural: 'texts', kind: 'Text' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: {
                openAPIV3Schema: {
                  type: 'object',
                  properties: Object.fromEntries(
                    rules.map((rule, i) => [`t${i}`, { type: 'string', maxLength: 1000, 'x-kubernetes-validations': [rule] }]),
                  ),
                },
              },
            },
          ],
        },
      },
    });
    await target.namespace('texts');
    const base = '/apis/rights.example.com/v1/namespaces/texts/texts';
    const eve = await target.user('eve', {
      namespace: 'texts',
      rules: [{ verbs: ['create'], apiGroups: ['rights.example.com'], resources: ['texts'] }],
    });
    while ((await target.admin.request('GET', base)).status !== 200) await bystander.answered(1);
    // Validation by lengths is the same for all; a policy has none.
    await target.admin.expect(201, 'POST', '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies', {
      body: {
        metadata: { name: 'texts' },
        spec: {
          failurePolicy: 'Ignore',
          matchConstraints: {
            resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
          },
          validations: [
            { expression: "!has(object.data) || object.data.all(k, object.data[k].trim() != 'never')" },
            { expression: "!has(object.data) || object.data.all(k, !object.data[k].contains(object.data[k].substring(1) + 'b'))" },
          ],
        },
      },
    });
    await target.admin.expect(201, 'POST', '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings', {
      body: {
        metadata: { name: 'texts' },
        spec: {
          policyName: 'texts',
          validationActions: ['Deny'],
          matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'texts' } } },
        },
      },
    });
    await target.grant(
      { kind: 'User', name: 'eve', apiGroup: 'rbac.authorization.k8s.io' },
      [{ verbs: ['create'], resources: ['configmaps'] }],
      'texts',
    );
    const long = [
      'x' + ' '.repeat(900_000) + 'x',
      'a'.repeat(900_000),
      `${'a'.repeat(400_000)}b${'a'.repeat(400_000)}`,
      '1'.repeat(900_000),
    ];
    for (const [i, text] of long.entries()) {
      const { status } = await beside(
        eve.client.request('POST', '/api/v1/namespaces/texts/configmaps', { body: { metadata: { name: `c${i}` }, data: { text } } }),
      );
      expect(status).to.be.oneOf([201, 422]);
      const short = text.slice(0, 1000);
      const object = {
        apiVersion: 'rights.example.com/v1',
        kind: 'Text',
        metadata: { name: `t${i}` },
        ...Object.fromEntries(rules.map((_, at) => [`t${at}`, short])),
      };
      expect((await beside(eve.client.request('POST', base, { body: object }))).status).to.be.oneOf([201, 422]);
    }
  });

  describe('by a node', () => {
    let node: User;
    const pods = '/api/v1/namespaces/nodes/pods';
    before(async () => {
      await target.namespace('nodes');
      node = await target.user('system:node:n1', { group: 'system:nodes' });
      await target.admin.expect(201, 'POST', '/api/v1/nodes', { body: { metadata: { name: 'n1' } } });
      await target.admin.request('POST', '/api/v1/namespaces/nodes/serviceaccounts', { body: { metadata: { name: 'robot' } } });
      await target.admin.expect(201, 'POST', pods, {
        body: {
          metadata: { name: 'own' },
          spec: {
            nodeName: 'n1',
            serviceAccountName: 'robot',
            containers: [{ name: 'c', image: 'i' }],
            volumes: [
              {
                name: 'v',
                projected: { sources: [{ serviceAccountToken: { path: 't' } }, { serviceAccountToken: { path: 'u', audience: 'own' } }] },
              },
            ],
          },
        },
      });
      const device = {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'ResourceClaim',
        metadata: { name: 'foreign' },
        spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'd' } }] } },
      };
      await target.admin.expect(201, 'POST', '/apis/resource.k8s.io/v1/namespaces/nodes/resourceclaims', { body: device });
    });

    it('get no token for audiences that its pods do not ask for', async () => {
      const {
        metadata: { uid },
      } = await target.admin.expect(200, 'GET', `${pods}/own`);
      const token = (...audiences: string[]): Promise<{ status: number }> =>
        node.client.request('POST', '/api/v1/namespaces/nodes/serviceaccounts/robot/token', {
          body: { spec: { audiences, boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'own', uid } } },
        });
      const statuses = [await token(), await token('own'), await token('vault'), await token('own', 'vault')].map(({ status }) => status);
      expect(statuses).to.deep.equal([201, 201, 403, 403]);
      await target.grant({ kind: 'Group', name: 'system:nodes', apiGroup: 'rbac.authorization.k8s.io' }, [
        { verbs: ['request-serviceaccounts-token-audience'], resources: ['vault'], resourceNames: ['robot'] },
      ]);
      expect((await token('vault')).status).to.equal(201);
    });

    it('read no claim of devices by what they say of a pod', async () => {
      const claim = '/apis/resource.k8s.io/v1/namespaces/nodes/resourceclaims/foreign';
      await node.client.expect(403, 'GET', claim);
      await node.client.expect(403, 'PATCH', `${pods}/own/status`, {
        type: mergeType,
        body: {
          status: {
            extendedResourceClaimStatus: {
              resourceClaimName: 'foreign',
              requestMappings: [{ containerName: 'c', resourceName: 'e.example.com/x', requestName: 'r' }],
            },
          },
        },
      });
      await node.client.expect(403, 'GET', claim);
    });

    for (const source of [
      { clusterTrustBundle: { name: 'b', path: 'p' } },
      { podCertificate: { signerName: 'a.b/c', keyType: 'ED25519', credentialBundlePath: 'p' } },
      { secret: { name: 's' } },
    ]) {
      it(`make no mirror pod that projects ${Object.keys(source)[0]}`, async () => {
        const {
          metadata: { uid },
        } = await target.admin.expect(200, 'GET', '/api/v1/nodes/n1');
        const pod = (volumes: object[]): object => ({
          metadata: {
            name: 'mirror',
            annotations: { 'kubernetes.io/config.mirror': 'x' },
            ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n1', uid, controller: true }],
          },
          spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }], volumes },
        });
        const answer = await node.client.request('POST', pods, { body: pod([{ name: 'v', projected: { sources: [source] } }]) });
        expect(answer.status, JSON.stringify(answer.body)).to.be.oneOf([403, 422]);
        await target.admin.expect(404, 'GET', `${pods}/mirror`);
      });
    }
  });

  it('by other users of the machine find no file of it that they could read', () => {
    const directory = target.cluster.cluster.dataDirectory;
    const open: string[] = [];
    const look = (at: string): void => {
      const { mode } = fs.lstatSync(at);
      if ((mode & 0o077) !== 0) open.push(`${path.relative(directory, at)} ${(mode & 0o777).toString(8)}`);
      if (fs.lstatSync(at).isDirectory()) for (const name of fs.readdirSync(at)) look(path.join(at, name));
    };
    look(directory);
    expect(fs.statSync(directory).mode & 0o077).to.equal(0);
    expect(open.filter((line) => /\.db|wal|shm|snapshot|\.key|audit/.test(line))).to.deep.equal([]);
  });
});
