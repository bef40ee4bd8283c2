import { expect } from 'chai';
import { forbidden } from '../../../../server/authorization/forbidden.js';

const user = { name: 'ann', uid: '', groups: [], extra: {} };
const onPods = {
  isResource: true as const,
  user,
  verb: 'get',
  group: '',
  version: 'v1',
  namespace: '',
  resource: 'pods',
  subresource: '',
  name: '',
};

/** The words and details of staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go. */
describe('authorization/forbidden', () => {
  it('names the path', () => {
    const onPath = { isResource: false as const, user, verb: 'get', path: '/metrics' };
    expect(forbidden(onPath, '').message).to.equal('forbidden: User "ann" cannot get path "/metrics"');
    expect(forbidden(onPath, 'r').message).to.equal('forbidden: User "ann" cannot get path "/metrics": r');
  });
  it('names what was asked for, and where', () => {
    const all = forbidden(onPods, '');
    expect(all.message).to.equal('pods is forbidden: User "ann" cannot get resource "pods" in API group "" at the cluster scope');
    expect([all.code, all.reason, all.details]).to.deep.equal([403, 'Forbidden', { kind: 'pods' }]);
    const one = forbidden({ ...onPods, group: 'x.io', subresource: 'status', namespace: 'ns', name: 'p' }, 'r');
    expect(one.message).to.equal(
      'pods.x.io "p" is forbidden: User "ann" cannot get resource "pods/status" in API group "x.io" in the namespace "ns": r',
    );
    expect(one.details).to.deep.equal({ name: 'p', group: 'x.io', kind: 'pods' });
  });
});
