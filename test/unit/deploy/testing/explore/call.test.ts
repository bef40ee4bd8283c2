import { expect } from 'chai';
import { callText, readCall } from '../../../../../deploy/testing/explore/call.js';
import { eventOf } from '../../../../../deploy/testing/explore/events.js';

const read = (method: string, url: string, body: unknown = null): string | null => {
  const call = readCall(method, url, body);
  return call && callText(call);
};

describe('testing/explore/call', () => {
  it('reads verbs, objects and subresources', () => {
    expect(read('GET', '/api/v1/namespaces/a/pods/b')).to.equal('get pods a/b');
    expect(read('GET', '/api/v1/namespaces/a')).to.equal('get namespaces a');
    expect(read('PUT', '/api/v1/namespaces/a/finalize')).to.equal('update namespaces/finalize a');
    expect(read('GET', '/apis/apps/v1/deployments?limit=5')).to.equal('list deployments.apps');
    expect(read('GET', '/apis/apps/v1/deployments?watch=true')).to.equal('watch deployments.apps');
    expect(read('GET', '/apis/apps/v1/deployments?watch=false')).to.equal('list deployments.apps');
    expect(read('PATCH', '/apis/example.org/v1/namespaces/a/sites/b/status')).to.equal('patch sites.example.org/status a/b');
    expect(read('DELETE', '/api/v1/namespaces/a/pods')).to.equal('deletecollection pods a/');
  });

  it('names what is created by its body', () => {
    expect(read('POST', '/api/v1/namespaces/a/pods', { metadata: { name: 'b' } })).to.equal('create pods a/b');
    expect(read('POST', '/api/v1/namespaces/a/pods', { metadata: { generateName: 'b-' } })).to.equal('create pods a/b-*');
  });

  it('does not count what comes by a clock, or stores nothing', () => {
    expect(read('GET', '/healthz')).to.equal(null);
    expect(read('GET', '/apis/apps/v1')).to.equal(null);
    expect(read('PUT', '/apis/coordination.k8s.io/v1/namespaces/a/leases/b')).to.equal(null);
    expect(read('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews')).to.equal(null);
    expect(read('POST', '/api/v1/namespaces/a/events')).to.equal(null);
  });

  it('does not count an election that older clients hold in a ConfigMap', () => {
    const lock = { metadata: { name: 'lock', annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' } } };
    const plain = { metadata: { name: 'lock', annotations: {} } };
    expect(read('PUT', '/api/v1/namespaces/a/configmaps/lock', lock)).to.equal(null);
    expect(read('PUT', '/api/v1/namespaces/a/configmaps/lock', plain)).to.equal('update configmaps a/lock');
    const seen = (object: object): unknown => eventOf(Buffer.from(JSON.stringify({ type: 'MODIFIED', object })));
    expect(seen(lock)).to.equal(null);
    expect(seen(plain)).to.deep.equal({ type: 'MODIFIED', object: plain });
  });
});
