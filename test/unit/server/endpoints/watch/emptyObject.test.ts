import { expect } from 'chai';
import { emptyObject } from '../../../../../server/endpoints/watch/emptyObject.js';

describe('endpoints/watch/empty objects', () => {
  const template = { metadata: {}, spec: { containers: null } };
  const rows = [
    ['', 'v1', 'ConfigMap', {}],
    ['', 'v1', 'ReplicationController', { spec: {}, status: { replicas: 0 } }],
    ['batch', 'v1', 'Job', { spec: { template }, status: {} }],
    ['apps', 'v1', 'Deployment', { spec: { replicas: 0, selector: null, template, strategy: {} }, status: {} }],
    ['rbac.authorization.k8s.io', 'v1', 'Role', { rules: null }],
    ['example.com', 'v1', 'Widget', {}],
  ] as const;
  for (const [group, version, kind, members] of rows)
    it(`are printed as Go prints them: ${kind}`, () => {
      expect(emptyObject({ group, version, kind })).to.deep.equal(members);
    });
});
