import { expect } from 'chai';
import type { Attributes, Decision } from '../../../../server/authorization/authorizer.js';
import { createAuthorizerChain, type Mode } from '../../../../server/authorization/chain.js';
import type { AuthorizerSettings } from '../../../../server/authorization/configuration.js';

const asking = (path: string, ...groups: string[]): Attributes => ({
  isResource: false,
  user: { name: 'ann', uid: '', groups, extra: {} },
  verb: 'get',
  path,
});
const link = (type: string): AuthorizerSettings => ({ type, name: type, webhook: null });

/** Changeable settings, and a chain of modes that record calls. */
function chainOf(decide: Readonly<Record<string, (path: string) => Decision | Promise<Decision>>>, ...types: string[]) {
  const log: string[] = [];
  const counts = new Map<string, { allowed: number; denied: number }>();
  let change = (_: readonly AuthorizerSettings[]): void => undefined;
  const settings = { current: types.map(link), onChange: (listener: typeof change): void => void (change = listener) };
  const make = ({ type }: AuthorizerSettings): Mode => {
    log.push(`make ${type}`);
    return {
      authorize: (attributes) => decide[type]?.(attributes.isResource ? '' : attributes.path) ?? { decision: 'noOpinion', reason: '' },
      rules: null,
      stop: () => void log.push(`stop ${type}`),
    };
  };
  const chain = createAuthorizerChain(settings, make, (type) => {
    const count = { allowed: 0, denied: 0 };
    counts.set(type, count);
    return count;
  });
  return { chain, log, counts, change: (...changed: string[]) => change(changed.map(link)) };
}

const byPath = (path: string): Decision => ({ decision: path === '/yes' ? 'allow' : path === '/no' ? 'deny' : 'noOpinion', reason: '' });

describe('server/authorization/chain', () => {
  it('counts what each mode allows and denies, and not where it has no opinion', async () => {
    const { chain, counts } = chainOf(
      { first: byPath, later: (path) => Promise.resolve(byPath(path.replace('/later', ''))) },
      'first',
      'later',
    );
    for (const path of ['/yes', '/yes', '/no', '/other', '/later/yes', '/later/no', '/later/no']) await chain.authorize(asking(path));
    expect(Object.fromEntries(counts)).to.deep.equal({ first: { allowed: 2, denied: 1 }, later: { allowed: 1, denied: 2 } });
  });

  it('asks no mode about administrators', async () => {
    const { chain, counts } = chainOf({ first: byPath }, 'first');
    expect((await chain.authorize(asking('/no', 'system:masters'))).decision).to.equal('allow');
    expect(counts.get('first')).to.deep.equal({ allowed: 0, denied: 0 });
  });

  it('keeps the modes that stay when its settings change, and stops those that go', async () => {
    const { chain, log, change } = chainOf({ a: byPath }, 'a', 'b');
    change('c', 'a');
    expect(log).to.deep.equal(['make a', 'make b', 'make c', 'stop b']);
    expect((await chain.authorize(asking('/yes'))).decision).to.equal('allow');
    change('c');
    expect((await chain.authorize(asking('/yes'))).decision).to.equal('noOpinion');
    chain.stop();
    expect(log.slice(4)).to.deep.equal(['stop a', 'stop c']);
  });
});
