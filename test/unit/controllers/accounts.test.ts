import { expect } from 'chai';
import { AccountTokens } from '../../../controllers/accounts.js';
import { serviceAccounts } from '../../../api/types/core/v1.js';
import { FakeClock, settle } from '../../fixtures/fakeClock.js';
import { MemoryApi, refusal } from '../../fixtures/memoryApi.js';

describe('controllers/accounts', () => {
  const world = () => {
    const clock = new FakeClock();
    const api = new MemoryApi({ clock });
    const problems: string[] = [];
    let serial = 0;
    api.before = ({ verb, key }) => {
      if (verb === 'post' && !api.peek(serviceAccounts, key)) throw refusal(404, 'NotFound');
    };
    api.answers.set('serviceaccounts/token', () => ({
      spec: { expirationSeconds: 3_600 },
      status: { token: `t${++serial}`, expirationTimestamp: new Date(clock.now() + 3_600_000).toISOString() },
    }));
    const tokens = new AccountTokens({ api, clock, onError: (message) => problems.push(message), signal: new AbortController().signal });
    return { clock, api, tokens, problems };
  };

  it('makes an account that is not there, and asks once for many who wait', async () => {
    const { api, tokens, problems } = world();
    expect(await Promise.all([tokens.of('job-controller'), tokens.of('job-controller')])).to.deep.equal(['t1', 't1']);
    expect(api.takeWrites().map(({ verb, key, refused }) => [verb, key, refused])).to.deep.equal([
      ['post', 'kube-system/job-controller', 'NotFound'],
      ['create', 'kube-system/job-controller', undefined],
      ['post', 'kube-system/job-controller', undefined],
    ]);
    expect(problems).to.deep.equal([]);
  });

  it('makes those that are missing before anybody needs them', async () => {
    const { api, tokens, problems } = world();
    api.seed(serviceAccounts, { metadata: { name: 'there', namespace: 'kube-system' } });
    await tokens.prepare(['there', 'missing', 'missing']);
    expect(api.takeWrites().map(({ verb, key }) => [verb, key])).to.deep.equal([['create', 'kube-system/missing']]);
    expect(problems).to.deep.equal([]);
  });

  it('renews tokens when four fifths of their life are over, and those that were refused', async () => {
    const { clock, tokens } = world();
    expect(await tokens.of('a')).to.equal('t1');
    await clock.advance(3_600_000 * 0.8 - 1);
    expect(await tokens.of('a')).to.equal('t1');
    await clock.advance(1);
    expect(await tokens.of('a')).to.equal('t2');
    tokens.forget('a');
    expect(await tokens.of('a')).to.equal('t3');
    expect(await tokens.of('b')).to.equal('t4');
  });

  it('renews them in time although the wall clock is set, here or at the server', async () => {
    const { clock, tokens } = world();
    expect(await tokens.of('a')).to.equal('t1');
    clock.setBack(86_400_000);
    await clock.advance(3_600_000 * 0.8);
    expect(await tokens.of('a')).to.equal('t2');
    clock.setBack(-2 * 86_400_000);
    expect(await tokens.of('a'), 'asked for once, not with each request').to.equal('t2');
  });

  it('waits and says so while the server gives none', async () => {
    const { clock, api, tokens, problems } = world();
    const before = api.before;
    api.before = () => {
      throw refusal(403, 'Forbidden', 'you may not');
    };
    let token = '';
    void tokens.of('a').then((value) => {
      token = value;
    });
    await clock.advance(2_500);
    expect(problems).to.deep.equal(Array(3).fill('no token for the account a: you may not'));
    api.before = before;
    await clock.advance(1_000);
    await settle();
    expect(token).to.equal('t1');
  });
});
