import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { Failures, patternOf, termsOf, type RequestMatch } from '../../../../deploy/testing/failures.js';
import { fits, type MemberOrder, type Rule } from '../../../../deploy/testing/orders.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';

const hits = (match: RequestMatch, method: string, url: string, user: string | null = null): boolean =>
  fits(patternOf(match), { method, url, user });

describe('testing/failures', () => {
  it('reads a method and a path with stars, with any query', () => {
    expect(hits('PATCH /api/v1/**', 'PATCH', '/api/v1/namespaces/a/pods/b/status?force=true')).to.equal(true);
    expect(hits('PATCH /api/v1/**', 'PUT', '/api/v1/namespaces/a/pods/b')).to.equal(false);
    expect(hits('* /api/v1/namespaces/*/pods', 'GET', '/api/v1/namespaces/a/pods?watch=1')).to.equal(true);
    expect(hits('* /api/v1/namespaces/*/pods', 'GET', '/api/v1/namespaces/a/pods/b')).to.equal(false);
    expect(hits('/api/v1/namespaces/a.b/pods', 'GET', '/api/v1/namespaces/acb/pods')).to.equal(false);
    expect(hits('**', 'DELETE', '/anything')).to.equal(true);
  });

  it('takes a regular expression over path and query, watches alone, and one user alone', () => {
    expect(hits(/fieldManager=mine/, 'PATCH', '/api/v1/x?fieldManager=mine')).to.equal(true);
    expect(hits({ watch: true }, 'GET', '/api/v1/pods?watch=true&x=1')).to.equal(true);
    expect(hits({ watch: true }, 'GET', '/api/v1/pods?watch=false')).to.equal(false);
    expect(hits({ watch: false, path: '/api/v1/pods' }, 'GET', '/api/v1/pods?watch=1')).to.equal(false);
    expect(hits({ user: 'operator' }, 'GET', '/api/v1/pods', 'operator')).to.equal(true);
    expect(hits({ user: 'operator' }, 'GET', '/api/v1/pods', 'kubernetes-admin')).to.equal(false);
  });

  it('refuses a text that names no requests', () => {
    for (const text of ['', 'patch /api', 'PATCH', 'PATCH api/v1', '/a b'])
      expect(() => patternOf(text), text).to.throw('names no requests');
  });

  it('answers as the server does: a Status with the reason of its code, and Retry-After', () => {
    const { status, headers, body } = termsOf({ status: 429, retryAfterSeconds: 3 });
    expect(status).to.equal(429);
    expect(headers).to.deep.equal({ 'retry-after': '3' });
    expect(JSON.parse(body ?? '')).to.deep.include({
      kind: 'Status',
      code: 429,
      reason: 'TooManyRequests',
      details: { retryAfterSeconds: 3 },
    });
    expect(JSON.parse(termsOf({ status: 409, reason: 'AlreadyExists', message: 'm' }).body ?? '')).to.deep.include({
      reason: 'AlreadyExists',
      message: 'm',
    });
    expect(termsOf({ latencyMs: 5, reset: 'after' })).to.deep.equal({ latencyMs: 5, reset: 'after' });
  });

  it('tells members what is in force, until it has hit as often as it was to, or is taken back', async () => {
    const reported: MemberOrder[] = [];
    const folder = temporaryDirectory('faults');
    const failures = new Failures(folder, async (order) => {
      reported.push(order);
    });
    const armed = await failures.add('PUT /**', { status: 500, times: 2 });
    const other = await failures.add('GET /**', { latencyMs: 1, times: Infinity });
    const inForce = (): unknown =>
      (reported.at(-1) as { readonly rules: readonly Rule[] }).rules.map(({ rule, times, claims }) => [rule, times, claims]);
    expect(inForce()).to.deep.equal([
      [1, 2, path.join(folder, '1-')],
      [2, null, path.join(folder, '2-')],
    ]);
    for (const hit of ['1-0', '1-1', '2-0']) fs.writeFileSync(path.join(folder, hit), '');
    failures.spent(1);
    await armed.spent;
    expect([armed.hits, other.hits]).to.deep.equal([2, 1]);
    expect(inForce()).to.deep.equal([[2, null, path.join(folder, '2-')]]);
    await other.remove();
    expect(failures.order).to.deep.equal({ order: 'rules', rules: [] });
  });
});
