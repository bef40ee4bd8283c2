import { expect } from 'chai';
import { StatusError } from '../../../../api/status.js';
import type { Attributes } from '../../../../server/authorization/authorizer.js';
import { escalationCheck } from '../../../../server/authorization/rbac/escalation.js';
import { PolicyIndex } from '../../../../server/authorization/rbac/policyIndex.js';
import type { AdmissionRequest } from '../../../../server/registry/admission.js';

const group = 'rbac.authorization.k8s.io';
const rule = (...resources: string[]) => ({ apiGroups: [''], resources, verbs: ['get'] });
const role = (...rules: object[]) => ({ metadata: { name: 'r', namespace: 'ns' }, rules });
const binding = (kind: string, name: string) => ({
  metadata: { name: 'b', namespace: 'ns' },
  roleRef: { apiGroup: group, kind, name },
  subjects: [{ kind: 'User', name: 'eve' }],
});
const wide = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } };

/** Ann holds rights to pods. The rules are those of pkg/registry/rbac. */
describe('authorization/rbac/escalation', () => {
  const index = new PolicyIndex();
  index.putRole('', { metadata: { name: 'pods' }, rules: [rule('pods')] });
  index.putRole('', { metadata: { name: 'secrets' }, rules: [rule('secrets')] });
  index.putRole('ns', { metadata: { name: 'secrets' }, rules: [rule('pods')] });
  index.putBinding('', {
    metadata: { name: 'ann' },
    roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'pods' },
    subjects: [{ kind: 'User', name: 'ann' }],
  });
  index.putRole('', {
    metadata: { name: 'everything' },
    rules: [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ],
  });
  index.putBinding('', {
    metadata: { name: 'root' },
    roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'everything' },
    subjects: [{ kind: 'User', name: 'root' }],
  });

  const asked: string[] = [];
  const check = (resource: string, object: object | null, more: object, right = ''): unknown => {
    const plugin = escalationCheck(index, (attributes: Attributes) => {
      if (!attributes.isResource) throw new Error('a path');
      const { verb, resource: what, namespace, name } = attributes;
      asked.push(`${verb} ${what} ${namespace}/${name}`);
      return { decision: asked.at(-1) === right ? 'allow' : 'noOpinion', reason: '' };
    });
    const request = {
      user: { name: 'ann', uid: '', groups: ['devs'], extra: {} },
      operation: 'CREATE',
      namespace: 'ns',
      name: 'r',
      subresource: '',
      resource: { group, resource, storage: { group, resource } },
      object,
      old: null,
      waiter: null,
      ...more,
    } as unknown as AdmissionRequest;
    return plugin.permit?.(request);
  };
  const refusal = async (resource: string, object: object | null, more: object = {}, right = ''): Promise<string> => {
    asked.length = 0;
    try {
      await check(resource, object, more, right);
      return '';
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return error.message;
    }
  };

  const missing =
    /is attempting to grant RBAC permissions not currently held:\n\{APIGroups:\[""\], Resources:\["secrets"\], Verbs:\["get"\]\}$/;
  const update = { operation: 'UPDATE', old: role() };

  it('lets roles be written with the rights that their writer holds', async () => {
    expect(await refusal('roles', role(rule('pods')))).to.equal('');
    expect(await refusal('roles', role(rule('pods', 'secrets')))).to.match(missing);
    expect(await refusal('roles', role(rule('secrets')), update)).to.match(missing);
    expect(asked[0]).to.equal('escalate roles ns/r');
  });
  it('lets those escalate who may, and names no role that is created', async () => {
    expect(await refusal('roles', role(rule('secrets')), {}, 'escalate roles ns/')).to.equal('');
    expect(await refusal('roles', role(rule('secrets')), {}, 'escalate roles ns/r')).to.match(missing);
    expect(await refusal('roles', role(rule('secrets')), update, 'escalate roles ns/r')).to.equal('');
  });
  it('asks administrators nothing, nor where something is deleted', async () => {
    const masters = { user: { name: 'ann', uid: '', groups: ['system:masters'], extra: {} } };
    expect(await refusal('roles', role(rule('secrets')), masters)).to.equal('');
    expect(await refusal('roles', null, { operation: 'DELETE', old: role(rule('secrets')) })).to.equal('');
    expect(asked).to.deep.equal([]);
  });
  it('lets the garbage collector work on what its writer could not write', async () => {
    const old = { kind: 'Role', apiVersion: `${group}/v1`, ...role(rule('secrets')) };
    const now = (metadata: object) => ({ ...role(rule('secrets')), metadata: { ...old.metadata, ...metadata } });
    for (const metadata of [{ finalizers: ['a.b/c'] }, { ownerReferences: [] }, { resourceVersion: '2' }, { managedFields: [] }])
      expect(await refusal('roles', now(metadata), { operation: 'UPDATE', old }), JSON.stringify(metadata)).to.equal('');
    expect(await refusal('roles', now({ labels: { a: 'b' } }), { operation: 'UPDATE', old })).to.match(missing);
  });
  it('lets roles that collect others be written by those alone who hold everything, also where they did before', async () => {
    const all = { ...role(), ...wide };
    const root = { user: { name: 'root', uid: '', groups: [], extra: {} } };
    const refused = /must have cluster-admin privileges to use the aggregationRule$/;
    expect(await refusal('clusterroles', all)).to.match(refused);
    expect(await refusal('clusterroles', role(), { operation: 'UPDATE', old: all })).to.match(refused);
    expect(await refusal('clusterroles', all, root)).to.equal('');
    expect(await refusal('clusterroles', { ...role(), aggregationRule: null })).to.equal('');
  });
  it('lets roles be bound by those who hold their rights, or may bind them', async () => {
    expect(await refusal('rolebindings', binding('ClusterRole', 'pods'))).to.equal('');
    expect(asked[0]).to.equal('bind clusterroles ns/pods');
    expect(await refusal('rolebindings', binding('ClusterRole', 'secrets'))).to.match(missing);
    expect(await refusal('rolebindings', binding('ClusterRole', 'secrets'), {}, 'bind clusterroles ns/secrets')).to.equal('');
    expect(await refusal('rolebindings', binding('Role', 'secrets'))).to.equal('');
    expect(asked[0]).to.equal('bind roles ns/secrets');
    expect(await refusal('rolebindings', binding('Role', 'absent'))).to.equal(`rolebindings.${group} "absent" not found`);
    expect(await refusal('rolebindings', binding('Other', 'secrets'))).to.equal('');
  });
  it('says which roles could not be found, and cuts what is too long to list', async () => {
    index.putBinding('ns', { ...binding('Role', 'lost'), metadata: { name: 'lost' }, subjects: [{ kind: 'User', name: 'ann' }] });
    expect(await refusal('roles', role(rule('secrets')))).to.match(
      /; resolution errors: \[role.rbac.authorization.k8s.io "lost" not found\]$/,
    );
    index.removeBinding('ns', 'lost');
    const long = await refusal('roles', role(...Array.from({ length: 100 }, (_, number) => rule(`${'x'.repeat(400)}${number}`))));
    expect(long).to.match(/\n\.\.\. and more$/);
    expect(long.length).to.be.within(32_768, 33_100);
    const many = await refusal('roles', role(rule(...Array.from({ length: 501 }, (_, number) => `r${number}`))));
    expect(many).to.match(/\n\.\.\. and more$/);
  });
});
