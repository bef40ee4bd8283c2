import { expect } from 'chai';
import type { Attributes, Authorizer } from '../../../../server/authorization/authorizer.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import type { ServedResource } from '../../../../server/registry/resources.js';
import { call } from './client.js';
import { startTestServer, type TestServer } from './harness.js';

/** Bodies of kinds that require more than a name. */
const content: Readonly<Record<string, object>> = {
  events: { involvedObject: { namespace: 'default' }, reason: 'a', type: 'Normal' },
  'events.events.k8s.io': {
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'a.b/c',
    reportingInstance: 'i',
    action: 'a',
    reason: 'r',
    type: 'Normal',
    regarding: { namespace: 'default' },
  },
  services: { spec: { type: 'ExternalName', externalName: 'a.example.com' } },
  'leases.coordination.k8s.io': { spec: {} },
  'runtimeclasses.node.k8s.io': { handler: 'h' },
  'rolebindings.rbac.authorization.k8s.io': { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' } },
  'clusterrolebindings.rbac.authorization.k8s.io': {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
  },
  secrets: { type: 'kubernetes.io/service-account-token' },
  pods: { spec: { containers: [{ name: 'c', image: 'i' }] } },
  'priorityclasses.scheduling.k8s.io': { value: 1 },
  'storageclasses.storage.k8s.io': { provisioner: 'a.b/c' },
  'csidrivers.storage.k8s.io': { spec: {} },
};

const nameOf = ({ group, resource }: ServedResource): string => (group === '' ? resource : `${resource}.${group}`);
const listed = (verb: string): ServedResource[] =>
  createCatalogue()
    .groups.flatMap(({ versions }) => versions.flatMap(({ resources }) => resources))
    .filter(({ verbs }) => verbs.has(verb));

describe('endpoints, the right to create through a change', () => {
  let server: TestServer;
  let mayCreate = false;
  const asked: Attributes[] = [];
  const authorize: Authorizer = (attributes) => {
    if (attributes.verb === 'create') asked.push(attributes);
    return { decision: attributes.verb === 'create' && !mayCreate ? 'noOpinion' : 'allow', reason: '' };
  };

  before(async () => {
    server = await startTestServer(undefined, { endpoints: { authorize } });
  });
  after(() => server.close());
  beforeEach(() => {
    mayCreate = false;
    asked.length = 0;
  });

  const pathOf = ({ group, version, namespaced, resource }: ServedResource, name: string): string =>
    `${group === '' ? '/api' : `/apis/${group}`}/${version}${namespaced ? '/namespaces/default' : ''}/${resource}/${name}`;
  const bodyOf = (resource: ServedResource, name: string): object => ({
    apiVersion: resource.group === '' ? resource.version : `${resource.group}/${resource.version}`,
    kind: resource.kind,
    metadata: { name },
    ...content[nameOf(resource)],
  });
  const put = (resource: ServedResource, name: string, query = ''): ReturnType<typeof call> =>
    call(server.url, 'PUT', `${pathOf(resource, name)}${query}`, { body: bodyOf(resource, name) });
  const apply = (resource: ServedResource, name: string, query = ''): ReturnType<typeof call> =>
    call(server.url, 'PATCH', `${pathOf(resource, name)}?fieldManager=m${query}`, {
      body: bodyOf(resource, name),
      type: 'application/apply-patch+yaml',
    });

  const refused = async (resource: ServedResource, write: (query: string) => ReturnType<typeof call>, dryRun: string): Promise<void> => {
    for (const query of ['', dryRun]) {
      const answer = await write(query);
      expect(answer.status, answer.text).to.equal(403);
      const where = resource.namespaced ? 'in the namespace "default"' : 'at the cluster scope';
      expect(answer.body['message']).to.equal(
        `${nameOf(resource)} "made" is forbidden: User "admin" cannot create resource "${resource.resource}" in API group "${resource.group}" ${where}`,
      );
    }
    expect((await call(server.url, 'GET', pathOf(resource, 'made'))).status).to.equal(404);
    expect(asked.at(-1)).to.deep.include({
      verb: 'create',
      group: resource.group,
      version: resource.version,
      resource: resource.resource,
      subresource: '',
      name: 'made',
      namespace: resource.namespaced ? 'default' : '',
    });
    mayCreate = true;
    const answer = await write('');
    expect(answer.status, answer.text).to.equal(201);
    await call(server.url, 'DELETE', `${pathOf(resource, 'made')}?gracePeriodSeconds=0`);
    mayCreate = false;
  };

  for (const resource of listed('update').filter((each) => each.behaviour.strategy.createsThrough('') === 'always')) {
    it(`asks for it of a PUT of ${nameOf(resource)} in ${resource.version}`, () =>
      refused(resource, (query) => put(resource, 'made', query), '?dryRun=All'));
  }

  it('has asked it of every kind that PUT creates', () => {
    expect(
      [
        ...new Set(
          listed('update')
            .filter((each) => each.behaviour.strategy.createsThrough('') === 'always')
            .map(nameOf),
        ),
      ].sort(),
    ).to.deep.equal([
      'clusterrolebindings.rbac.authorization.k8s.io',
      'clusterroles.rbac.authorization.k8s.io',
      'endpoints',
      'events',
      'events.events.k8s.io',
      'leases.coordination.k8s.io',
      'limitranges',
      'rolebindings.rbac.authorization.k8s.io',
      'roles.rbac.authorization.k8s.io',
      'runtimeclasses.node.k8s.io',
      'services',
    ]);
  });

  for (const resource of listed('patch')) {
    it(`creates no ${nameOf(resource)} in ${resource.version} by apply without it`, async () => {
      // Kinds that require more are refused for that.
      const answer = await apply(resource, 'made');
      expect(answer.status, answer.text).to.be.oneOf([403, 422, 500]);
      expect((await call(server.url, 'GET', pathOf(resource, 'made'))).status).to.equal(404);
      if (answer.status === 403) await refused(resource, (query) => apply(resource, 'made', query), '&dryRun=All');
    });
  }

  it('knows which statuses create what is absent', () => {
    const creating = listed('update')
      .filter(({ subresources }) => subresources.has('status'))
      .map((each) => `${nameOf(each)} ${each.behaviour.strategy.createsThrough('status')}`)
      .filter((text) => !text.endsWith(' never'));
    expect([...new Set(creating)].sort()).to.deep.equal([
      'services always',
      'validatingadmissionpolicies.admissionregistration.k8s.io apply',
    ]);
  });

  it('asks for it of a status that creates, and creates nothing through others', async () => {
    const through = (method: string, resource: string, type: string): ReturnType<typeof call> => {
      const served = listed('update').find((each) => each.resource === resource)!;
      return call(server.url, method, `${pathOf(served, 'new')}/status?fieldManager=m&dryRun=All`, { body: bodyOf(served, 'new'), type });
    };
    expect((await through('PUT', 'services', 'application/json')).status).to.equal(403);
    expect(asked.at(-1)).to.deep.include({ verb: 'create', resource: 'services', subresource: 'status', name: 'new' });
    mayCreate = true;
    const made = await through('PATCH', 'services', 'application/apply-patch+yaml');
    expect(made.status, made.text).to.equal(201);
    expect(made.body).to.not.have.nested.property('metadata.managedFields');
    const put = await through('PUT', 'services', 'application/json');
    expect(put.body).to.not.have.nested.property('metadata.managedFields');
    expect([put.status, put.body['spec']]).to.deep.equal([201, { ...(made.body['spec'] as object) }]);
    expect((await through('PUT', 'validatingadmissionpolicies', 'application/json')).status).to.equal(404);
    expect((await through('PATCH', 'validatingadmissionpolicies', 'application/apply-patch+yaml')).status).to.equal(422);
    expect((await through('PATCH', 'pods', 'application/apply-patch+yaml')).status).to.equal(404);
  });

  it('asks nothing of a PUT or apply that changes', async () => {
    const leases = listed('update').find((each) => each.resource === 'leases')!;
    mayCreate = true;
    expect((await apply(leases, 'there')).status).to.equal(201);
    mayCreate = false;
    asked.length = 0;
    expect((await apply(leases, 'there')).status).to.equal(200);
    const { body } = await call(server.url, 'GET', pathOf(leases, 'there'));
    expect((await call(server.url, 'PUT', pathOf(leases, 'there'), { body })).status).to.equal(200);
    expect(asked).to.deep.equal([]);
  });

  it('lets who may create a name create no other', async () => {
    const named: Authorizer = (attributes) => ({
      decision: attributes.verb !== 'create' || (attributes.isResource && attributes.name === 'made') ? 'allow' : 'noOpinion',
      reason: 'names',
    });
    const other = await startTestServer(undefined, { endpoints: { authorize: named } });
    const leases = listed('update').find((each) => each.resource === 'leases')!;
    const answers = await Promise.all(
      ['made', 'else'].map((name) => call(other.url, 'PUT', pathOf(leases, name), { body: bodyOf(leases, name) })),
    );
    await other.close();
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 403]);
    expect(answers[1]!.body).to.deep.include({
      reason: 'Forbidden',
      message:
        'leases.coordination.k8s.io "else" is forbidden: User "admin" cannot create resource "leases" in API group "coordination.k8s.io" in the namespace "default": names',
      details: { name: 'else', group: 'coordination.k8s.io', kind: 'leases' },
    });
  });

  it('creates nothing through subresources, whoever asks', async () => {
    mayCreate = true;
    const deployments = listed('patch').find((each) => each.resource === 'deployments')!;
    for (const subresource of ['status', 'scale']) {
      const body =
        subresource === 'scale'
          ? { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'made' }, spec: { replicas: 1 } }
          : bodyOf(deployments, 'made');
      const answer = await call(server.url, 'PATCH', `${pathOf(deployments, 'made')}/${subresource}?fieldManager=m`, {
        body,
        type: 'application/apply-patch+yaml',
      });
      expect(answer.status, answer.text).to.equal(404);
    }
  });

  it('says when nobody could decide', async () => {
    const failing = await startTestServer(undefined, {
      endpoints: { authorize: () => ({ decision: 'noOpinion', reason: '', error: 'the webhook is away' }) },
    });
    const leases = listed('update').find((each) => each.resource === 'leases')!;
    const answer = await call(failing.url, 'PUT', pathOf(leases, 'made'), { body: bodyOf(leases, 'made') });
    await failing.close();
    expect([answer.status, answer.body['message']]).to.deep.equal([500, 'Internal error occurred: the webhook is away']);
  });
});
