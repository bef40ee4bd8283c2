import { expect } from 'chai';
import type { JsonObject } from '../../../../api/object.js';
import { StatusError } from '../../../../api/status.js';
import { claimsOf, untimely, userOf } from '../../../../server/authentication/serviceaccount/claims.js';
import { createLookup } from '../../../../server/authentication/serviceaccount/lookup.js';
import { createMemoryStorage, type MemoryStorage } from '../../../../server/storage/memory.js';

const now = 1_800_000_000;

const put = (storage: MemoryStorage, more: object = {}): unknown =>
  storage.create(
    { resource: { group: '', resource: 'serviceaccounts' }, namespace: 'ns', name: 'robot' },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot', namespace: 'ns', uid: 'u1', ...more } },
    { timeoutMs: 1000 },
  );

describe('authentication/serviceaccount/claims', () => {
  const own = { namespace: 'ns', serviceaccount: { name: 'robot', uid: 'u' } };
  const whole = (changes: JsonObject = {}): JsonObject => ({
    iat: 1,
    nbf: 2,
    exp: 3,
    aud: 'a',
    sub: 'system:serviceaccount:ns:robot',
    'kubernetes.io': { ...own, ...changes },
  });
  it('are read with a single audience, without times, and without what a token is not bound to', () => {
    expect(claimsOf(whole())).to.deep.include({
      id: '',
      audiences: ['a'],
      issuedAt: 1,
      notBefore: 2,
      expires: 3,
      warnAfter: null,
      pod: null,
    });
    const { iat: _iat, nbf: _nbf, ...rest } = whole();
    expect(claimsOf({ ...rest, exp: null, aud: ['a', 'b'] })).to.deep.include({
      audiences: ['a', 'b'],
      issuedAt: null,
      notBefore: null,
      expires: null,
    });
    expect(claimsOf(whole({ pod: { name: 7 }, secret: null }))).to.deep.include({ pod: { name: '', uid: '' }, secret: null });
  });
  it('name an account wholly, or nobody', () => {
    for (const wrong of [
      whole({ namespace: '' }),
      { ...whole(), 'kubernetes.io': { namespace: 'ns' } },
      whole({ serviceaccount: null }),
      whole({ serviceaccount: { name: 'robot' } }),
      whole({ serviceaccount: { name: 'other', uid: 'u' } }),
      { ...whole(), sub: 'system:serviceaccount:ns:other' },
      { ...whole({ namespace: '' }), sub: 'system:serviceaccount::robot' },
      { ...whole({ serviceaccount: {} }), sub: 'system:serviceaccount:ns:' },
      ...['iat', 'nbf', 'exp'].flatMap((claim) => ['1', {}, true].map((time) => ({ ...whole(), [claim]: time }))),
    ])
      expect(claimsOf(wrong), JSON.stringify(wrong)).to.equal(null);
  });
  it('hold a minute earlier and later, and without an end where there is none', () => {
    const at = (time: number, claims: object = {}): string | null =>
      untimely({ issuedAt: null, notBefore: null, expires: null, ...claims }, time);
    expect([at(-1_000), at(1_000)]).to.deep.equal([null, null]);
    expect([at(40, { notBefore: 100 }), at(39, { notBefore: 100 })]).to.deep.equal([null, 'service account token is not valid yet']);
    expect([at(160, { expires: 100 }), at(161, { expires: 100 })]).to.deep.equal([null, 'service account token has expired']);
    expect([at(40, { issuedAt: 100 }), at(39, { issuedAt: 100 })]).to.deep.equal([null, 'service account token is issued in the future']);
  });
  it('say nothing of ids and uids that are not there', () => {
    const claims = claimsOf(whole({ node: { name: 'n' } }));
    if (claims === null) throw new Error('none');
    expect(userOf(claims).extra).to.deep.equal({ 'authentication.kubernetes.io/node-name': ['n'] });
  });
});

describe('authentication/serviceaccount/lookup', () => {
  const claims = claimsOf({
    sub: 'system:serviceaccount:ns:robot',
    'kubernetes.io': { namespace: 'ns', serviceaccount: { name: 'robot', uid: 'u1' } },
  });
  if (claims === null) throw new Error('none');
  const bound = claims;
  it('ends a token a minute after the deletion of its account was asked for', async () => {
    const storage = createMemoryStorage();
    await put(storage, { deletionTimestamp: new Date(now * 1000).toISOString() });
    const lookup = createLookup(storage);
    expect([await lookup(bound, now), await lookup(bound, now + 60)]).to.deep.equal([null, null]);
    expect(await lookup(bound, now + 61)).to.equal('service account ns/robot has been deleted');
  });
  it('asks again only where the cache does not know the account, and throws what storage says', async () => {
    const storage = createMemoryStorage();
    await put(storage);
    const asked: string[] = [];
    const lookup = createLookup({
      get: (key, consistency) => {
        asked.push(consistency.at);
        return key.name === 'broken' ? Promise.resolve({ outcome: 'unavailable', reason: 'r' }) : storage.get(key, consistency);
      },
    });
    expect([await lookup(bound, now), asked.splice(0)]).to.deep.equal([null, ['any']]);
    expect(await lookup({ ...bound, account: { name: 'robot', uid: 'u2' } }, now)).to.include('has been deleted');
    expect(asked.splice(0)).to.deep.equal(['any', 'mostRecent']);
    const broken = lookup({ ...bound, account: { name: 'broken', uid: 'u1' } }, now);
    expect(await broken.catch((error: unknown) => error)).to.be.instanceOf(StatusError);
  });
});
