import { expect } from 'chai';
import { askAuthorizer } from '../../../../server/authorization/askAuthorizer.js';
import type { Attributes, Decision } from '../../../../server/authorization/authorizer.js';

const user = { name: 'ann', uid: '', groups: [], extra: {} };
const onPods = {
  isResource: true as const,
  user,
  verb: 'list',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'ns',
  name: '',
};

describe('authorization/askAuthorizer', () => {
  const answered = (decide: () => Decision | Promise<Decision>): unknown => askAuthorizer(decide)(onPods);

  it('allows what the authorizer allows, and nothing else', async () => {
    for (const decision of ['allow', 'deny', 'noOpinion'] as const)
      expect(await answered(() => ({ decision, reason: 'r' }))).to.deep.equal({ allowed: decision === 'allow', reason: 'r' });
  });
  it('passes errors on, and takes a failure for one that allows nothing', async () => {
    expect(await answered(() => ({ decision: 'noOpinion', reason: '', error: 'e' }))).to.deep.equal({
      allowed: false,
      reason: '',
      error: 'e',
    });
    const failure = { allowed: false, reason: '', error: 'out of order' };
    expect(await answered(() => Promise.reject(new Error('out of order')))).to.deep.equal(failure);
    expect(
      await answered(() => {
        throw new Error('out of order');
      }),
    ).to.deep.equal(failure);
  });
  it('asks with the fields of a selector, if it can be read', async () => {
    const asked: Attributes[] = [];
    const ask = askAuthorizer((attributes) => {
      asked.push(attributes);
      return { decision: 'allow', reason: '' };
    });
    const onPath = { isResource: false as const, user, verb: 'get', path: '/metrics' };
    await ask(onPath);
    await ask(onPods);
    await ask({ ...onPods, fieldSelector: 'spec.nodeName=n1', labelSelector: 'a=b' });
    await ask({ ...onPods, fieldSelector: 'spec.nodeName' });
    expect(asked).to.deep.equal([
      onPath,
      onPods,
      { ...onPods, fields: [{ field: 'spec.nodeName', equals: true, value: 'n1' }], labelSelector: 'a=b' },
      onPods,
    ]);
  });
});
