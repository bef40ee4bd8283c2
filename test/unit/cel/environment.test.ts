import { expect } from 'chai';
import type { JsonValue } from '../../../api/object.js';
import { createScope } from '../../../cel/environment.js';

describe('CEL', () => {
  const scope = createScope({
    claims: 'map<string, dyn>',
    user: { username: 'string', groups: 'list<string>', extra: 'map<string, list<string>>' },
    request: { resource: { verb: 'string' } },
  });
  const claims = { sub: 'ann', n: 5, f: 1.5, roles: ['a', 'b'], deep: { x: 'y' }, exp: 100, nbf: 40, nothing: null };
  const user = { username: 'ann', groups: ['devs'], extra: { scope: ['view'] } };
  const run = (expression: string, wanted: readonly string[] | null = null): JsonValue => {
    const compiled = scope.compile(expression, wanted);
    if (!compiled.ok) return `refused: ${compiled.message}`;
    const result = compiled.program.evaluate({ claims, user, request: {} });
    return result.ok ? result.value : `failed: ${result.message}`;
  };

  const rows: [string, JsonValue][] = [
    ['claims.exp - claims.nbf <= 60', true],
    ['claims.n < 5.5 && claims.f < 2', true],
    ['has(claims.absent)', false],
    ['claims.?absent.orValue("none")', 'none'],
    ['claims.roles.exists(r, r == "a") && claims.roles.all(r, r != "c")', true],
    ['claims.roles.map(r, "team:" + r)', ['team:a', 'team:b']],
    ['claims.deep.x + claims.sub', 'yann'],
    ['claims.roles.filter(r, r > "a")', ['b']],
    ['"view" in user.extra["scope"]', true],
    ['has(request.resource)', false],
    ['claims.absent == 1 || claims.n == 5', true],
    ['"a-b-c".replace("-", "+", 1)', 'a+b-c'],
    ['"a-b-c".replace("-", "+")', 'a+b+c'],
    ['"abc".charAt(1)', 'b'],
    ['"x1y22".findAll("[0-9]+")', ['1', '22']],
    ['"A,B".lowerAscii().split(",")', ['a', 'b']],
    ['claims.absent', 'failed: no such key: absent'],
    ['claims.nothing == null', true],
    ['"abc".charAt(9)', 'failed: index out of range: 9'],
  ];
  for (const [expression, value] of rows)
    it(`yields ${JSON.stringify(value)} for ${expression}`, () => {
      expect(run(expression)).to.deep.equal(value);
    });

  it('refuses what cannot be right, before anything runs', () => {
    for (const expression of [
      '1 +',
      'nobody',
      'user.nothing',
      'user.username == 1',
      'claims.sub.shout()',
      'x'.repeat(20_000),
      `${'('.repeat(500)}1${')'.repeat(500)}`,
    ])
      expect(run(expression), expression.slice(0, 40)).to.match(/^refused: /);
  });
  it('refuses what is not known to be of a type that is wanted', () => {
    expect(run('user.username', ['bool'])).to.equal('refused: must evaluate to bool');
    expect(run('user.groups', ['string', 'list<string>'])).to.deep.equal(['devs']);
    expect(run('claims.sub', ['bool'])).to.equal('refused: must evaluate to bool');
    expect(run('claims.sub')).to.equal('ann');
  });
  it('knows which members of variables an expression names', () => {
    const compiled = scope.compile('has(claims.n) && claims.roles.exists(r, r == claims.?sub.orValue("x") || [claims.f] == [1.0])', [
      'bool',
    ]);
    expect(compiled.ok && [...compiled.program.selects]).to.have.members(['claims.n', 'claims.roles', 'claims.sub', 'claims.f']);
  });
  it('turns values that JSON cannot say into errors', () => {
    expect(run('type(claims.n)')).to.match(/^failed: the expression yields/);
  });
});

// newClaimsValue and unescapeMapper of token/oidc/oidc.go, and Unescape of cel/escaping.go.
describe('CEL about claims', () => {
  const scope = createScope({ claims: 'map<string, dyn>' }, 'claims');
  const claims = { 'a.b': 'dot', 'c-d': { 'e/f': ['g'] }, h__i: 'under', in: 'word', __odd__x: 'odd', n: 5 };
  const rows: [string, JsonValue][] = [
    ['claims.a__dot__b', 'dot'],
    ['claims["a.b"]', 'dot'],
    ['has(claims.a__dot__b) && !has(claims.a__dash__b)', true],
    ['claims.c__dash__d.e__slash__f[0]', 'g'],
    ['claims.h__underscores__i', 'under'],
    ['claims.__in__', 'word'],
    ['claims.__odd__x', 'odd'],
    ['type(claims.n) == double && claims.n <= 5', true],
  ];
  for (const [expression, expected] of rows)
    it(expression, () => {
      const compiled = scope.compile(expression, null);
      if (!compiled.ok) throw new Error(compiled.message);
      const result = compiled.program.evaluate({ claims });
      expect(result.ok ? result.value : result.message).to.equal(expected);
    });
});
