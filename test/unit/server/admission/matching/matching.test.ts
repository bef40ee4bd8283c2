import { expect } from 'chai';
import type { AdmissionRequest } from '../../../../../server/registry/admission.js';
import { matchesRule, ruleOf, type Attributes } from '../../../../../server/admission/matching/rules.js';
import { equivalentsOf } from '../../../../../server/admission/matching/subject.js';
import type { Hook } from '../../../../../server/admission/webhooks/hook.js';
import { HookIndex } from '../../../../../server/admission/webhooks/hookIndex.js';
import type { JsonObject } from '../../../../../api/object.js';
import { createCatalogue } from '../../../../../server/kinds/index.js';

const catalogue = createCatalogue({ serves: () => true });
const kind = { group: '', version: 'v1', kind: 'Pod' };
const pods: Attributes = {
  operation: 'CREATE',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  kind,
  namespace: 'n',
  name: 'p',
};
const rule = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] };

describe('rules of webhooks and policies', () => {
  const rows: readonly (readonly [what: string, rule: JsonObject, attributes: Partial<Attributes>, matches: boolean])[] = [
    ['everything', {}, {}, true],
    ['the operation', { operations: ['UPDATE', 'CREATE'] }, {}, true],
    ['another operation', { operations: ['UPDATE'] }, {}, false],
    ['the group', { apiGroups: [''] }, {}, true],
    ['another group', { apiGroups: ['apps'] }, {}, false],
    ['the version', { apiVersions: ['v1'] }, {}, true],
    ['another version', { apiVersions: ['v2'] }, {}, false],
    ['the resource', { resources: ['pods'] }, {}, true],
    ['the resource, not below it', { resources: ['pods'] }, { subresource: 'status' }, false],
    ['all resources, not below them', { resources: ['*'] }, { subresource: 'status' }, false],
    ['all resources', { resources: ['*'] }, {}, true],
    ['everything below it, and itself', { resources: ['pods/*'] }, {}, true],
    ['everything below it', { resources: ['pods/*'] }, { subresource: 'exec' }, true],
    ['one subresource of all', { resources: ['*/scale'] }, { subresource: 'scale' }, true],
    ['one subresource of all, not the resource', { resources: ['*/scale'] }, {}, false],
    ['what is in namespaces', { scope: 'Namespaced' }, {}, true],
    ['what is in none', { scope: 'Cluster' }, {}, false],
    ['objects of the cluster', { scope: 'Cluster' }, { resource: 'nodes', namespace: '' }, true],
    ['not objects of the cluster', { scope: 'Namespaced' }, { resource: 'nodes', namespace: '' }, false],
    ['namespaces, which are in none', { scope: 'Cluster' }, { resource: 'namespaces' }, true],
    ['not namespaces, although requests name one', { scope: 'Namespaced' }, { resource: 'namespaces' }, false],
    ['one by name', { resourceNames: ['p'] }, {}, true],
    ['not others by name', { resourceNames: ['q'] }, {}, false],
  ];
  for (const [what, more, attributes, matches] of rows)
    it(`match ${what}`, () => {
      expect(matchesRule(ruleOf({ ...rule, ...more }), { ...pods, ...attributes })).to.equal(matches);
    });

  const requestFor = (group: string, version: string, resource: string, subresource = ''): AdmissionRequest =>
    ({
      operation: 'CREATE',
      resource: catalogue.resource(group, version, resource),
      subresource,
      form: null,
      namespace: 'n',
      name: 'x',
      object: null,
      old: null,
    }) as unknown as AdmissionRequest;
  const addressed = (request: AdmissionRequest): string[] =>
    equivalentsOf(request, catalogue).map(({ group, version, resource }) => `${group}/${version}/${resource}`);

  it('know other versions of a resource, and other names of it', () => {
    expect(addressed(requestFor('autoscaling', 'v2', 'horizontalpodautoscalers')))
      .to.include('autoscaling/v1/horizontalpodautoscalers')
      .and.not.include('autoscaling/v2/horizontalpodautoscalers');
    expect(addressed(requestFor('', 'v1', 'events'))).to.deep.equal(['events.k8s.io/v1/events']);
    expect(addressed(requestFor('', 'v1', 'pods'))).to.deep.equal([]);
  });

  describe('in an index', () => {
    const hook = (name: string, more: JsonObject): Hook =>
      ({
        name,
        terms: { rules: [ruleOf({ ...rule, ...more })], equivalent: true, namespaceSelector: [], objectSelector: [] },
      }) as unknown as Hook;
    const names = (index: HookIndex, request: AdmissionRequest): string[] => index.candidates(request).map(({ name }) => name);

    it('are found by kind of request, in order of their configurations', () => {
      const index = new HookIndex();
      index.put('b', [hook('b1', { resources: ['pods'] }), hook('b2', { resources: ['configmaps'] })]);
      index.put('a', [hook('a1', { resources: ['*'] }), hook('a2', { operations: ['DELETE'] })]);
      expect(names(index, requestFor('', 'v1', 'pods'))).to.deep.equal(['a1', 'b1']);
      index.put('a', [hook('a1', { apiGroups: ['apps'] })]);
      expect(names(index, requestFor('', 'v1', 'pods'))).to.deep.equal(['b1']);
      index.remove('b');
      expect(names(index, requestFor('', 'v1', 'pods'))).to.deep.equal([]);
    });

    it('are looked through once for each kind of request', () => {
      const index = new HookIndex();
      index.put('a', [hook('a1', { resources: ['secrets'] })]);
      expect(index.candidates(requestFor('', 'v1', 'pods'))).to.equal(index.candidates(requestFor('', 'v1', 'pods')));
    });

    it('are found by the other group of events', () => {
      const index = new HookIndex();
      index.put('a', [hook('a1', { apiGroups: ['events.k8s.io'], resources: ['events'] })]);
      expect(names(index, requestFor('', 'v1', 'events'))).to.deep.equal(['a1']);
    });
  });
});
