import { expect } from 'chai';
import type { ApiObject, JsonValue } from '../../../../api/object.js';
import { bootstrapRbac } from '../../../../server/authorization/rbac/bootstrap.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import { createSample } from '../registry/sample.js';
import { reconcileBinding, reconcileRole } from '../../../../server/authorization/rbac/reconcile.js';

const autoupdate = 'rbac.authorization.kubernetes.io/autoupdate';
const rule = (resource: string, verb: string): JsonValue => ({ apiGroups: [''], resources: [resource], verbs: [verb] });
const role = (rules: JsonValue[], more: Partial<ApiObject['metadata']> = {}): ApiObject => ({
  metadata: { name: 'r', labels: { a: 'b' }, annotations: { [autoupdate]: 'true' }, ...more },
  rules,
});
const binding = (subjects: JsonValue[], roleName = 'r'): ApiObject => ({
  metadata: { name: 'b', annotations: { [autoupdate]: 'true' } },
  roleRef: { apiGroup: 'x', kind: 'ClusterRole', name: roleName },
  subjects,
});

describe('authorization/rbac/reconcile', () => {
  it('keeps a role that grants what it should, and more', () => {
    expect(reconcileRole(role([rule('pods', 'get'), rule('secrets', 'get')]), role([rule('pods', 'get')]))).to.deep.equal({
      action: 'keep',
    });
  });
  it('adds what is missing and keeps what others added', () => {
    const result = reconcileRole(role([rule('secrets', 'get')], { labels: { a: 'mine', c: 'd' } }), role([rule('pods', 'get')]));
    expect(result).to.deep.include({ action: 'update' });
    expect(result.action === 'update' && result.object['rules']).to.deep.equal([rule('secrets', 'get'), rule('pods', 'get')]);
    expect(result.action === 'update' && result.object.metadata.labels).to.deep.equal({ a: 'mine', c: 'd' });
  });
  it('leaves alone what an administrator protects', () => {
    expect(reconcileRole(role([], { annotations: { [autoupdate]: 'false' } }), role([rule('pods', 'get')]))).to.deep.equal({
      action: 'keep',
    });
  });
  it('leaves aggregated rules to their controller', () => {
    const aggregated = (rules: JsonValue[]): ApiObject => ({
      ...role(rules),
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { x: 'y' } }] },
    });
    expect(reconcileRole(aggregated([]), aggregated([rule('pods', 'get')]))).to.deep.equal({ action: 'keep' });
    expect(reconcileRole(role([]), aggregated([])).action).to.equal('update');
  });
  it('adds missing subjects, and makes a binding of another role anew', () => {
    const group = { kind: 'Group', name: 'g' };
    const result = reconcileBinding(binding([{ kind: 'User', name: 'u' }]), binding([group]));
    expect(result.action === 'update' && result.object['subjects']).to.deep.equal([{ kind: 'User', name: 'u' }, group]);
    expect(reconcileBinding(binding([group], 'other'), binding([group]))).to.deep.equal({ action: 'recreate' });
    expect(reconcileBinding(binding([group]), binding([group]))).to.deep.equal({ action: 'keep' });
  });
});

describe('authorization/rbac/bootstrap', () => {
  const bindings = { group: 'rbac.authorization.k8s.io', version: 'v1' };
  const discovery = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'system:discovery', annotations: { [autoupdate]: 'false', mine: 'yes' } },
    roleRef: { apiGroup: bindings.group, kind: 'ClusterRole', name: 'system:discovery' },
    subjects: [{ apiGroup: bindings.group, kind: 'User', name: 'ada' }],
  };

  it('makes the binding of public information out of that of discovery, where only this one is there', async () => {
    const sample = await createSample();
    await sample.create(discovery);
    await bootstrapRbac({ registry: sample.registry, catalogue: createCatalogue() });
    const made = await sample.get('rbac.authorization.k8s.io/v1/ClusterRoleBinding', 'system:public-info-viewer');
    expect(made['subjects']).to.deep.equal(discovery.subjects);
    expect(made.metadata.annotations).to.deep.equal(discovery.metadata.annotations);
    expect(made['roleRef']).to.have.property('name', 'system:public-info-viewer');
  });

  it('leaves the binding of public information as it is where it is there', async () => {
    const sample = await createSample();
    await bootstrapRbac({ registry: sample.registry, catalogue: createCatalogue() });
    const before = await sample.get('rbac.authorization.k8s.io/v1/ClusterRoleBinding', 'system:public-info-viewer');
    expect(JSON.stringify(before['subjects'])).to.include('system:unauthenticated');
    await bootstrapRbac({ registry: sample.registry, catalogue: createCatalogue() });
    expect(await sample.get('rbac.authorization.k8s.io/v1/ClusterRoleBinding', 'system:public-info-viewer')).to.deep.equal(before);
  });
});
