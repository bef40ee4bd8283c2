import { expect } from 'chai';
import fc from 'fast-check';
import { generatedName } from '../../../../server/registry/generatedName.js';
import {
  dnsLabelName,
  labelValueProblems,
  pathSegmentName,
  qualifiedNameProblems,
  subdomainName,
} from '../../../../server/registry/validation/names.js';
import { validateMetadata } from '../../../../server/registry/validation/metadata.js';
import { atOnce } from '../../../../server/registry/validation/ofEach.js';

describe('registry/validation/names', () => {
  const cases: [rule: (name: string) => string[], good: string[], bad: string[]][] = [
    [(name) => dnsLabelName(name, false), ['a', '1a', 'a-b', 'x'.repeat(63)], ['', 'A', 'a.b', '-a', 'a-', 'a_b', 'x'.repeat(64), 'a\n']],
    [(name) => subdomainName(name, false), ['a', 'a.b', '1.2', 'x'.repeat(253)], ['', 'a..b', '.a', 'a.', 'a b', 'x'.repeat(254)]],
    [(name) => pathSegmentName(name, false), ['a', 'system:x', 'A b', 'ü'], ['.', '..', 'a/b', 'a%b']],
    [qualifiedNameProblems, ['a', 'A_b.c', 'example.com/a'], ['', '/a', 'a/', 'a/b/c', 'EXAMPLE.com/a', '-a', 'x'.repeat(64)]],
    [labelValueProblems, ['', 'a', 'V_.-x'], ['-x', 'a b', 'x'.repeat(64)]],
  ];
  for (const [rule, good, bad] of cases) {
    it(`takes ${good.map((name) => name.slice(0, 12)).join(', ')} and refuses ${bad.map((name) => JSON.stringify(name.slice(0, 12))).join(', ')}`, () => {
      for (const name of good) expect(rule(name), name).to.deep.equal([]);
      for (const name of bad) expect(rule(name), name).not.to.deep.equal([]);
    });
  }

  it('says that a label has dots rather than that it has wrong characters', () => {
    expect(dnsLabelName('a.b', false)).to.deep.equal(['must not contain dots']);
  });

  it('allows a prefix to end in a dash', () => {
    expect(subdomainName('gen-', true)).to.deep.equal([]);
    expect(subdomainName('gen-', false)).not.to.deep.equal([]);
  });

  it('makes generated names that every rule takes', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z][a-z0-9-]{0,80}$/),
        fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 5, maxLength: 5 }),
        (prefix, numbers) => {
          const name = generatedName(prefix, () => numbers.shift() ?? 0);
          expect(name.length).to.be.at.most(63);
          expect(dnsLabelName(name, false)).to.deep.equal([]);
        },
      ),
    );
  });

  it('finds everything that is wrong with metadata at once', () => {
    const findings = validateMetadata(
      {
        name: 'a',
        namespace: 'default',
        labels: { 'bad key': 'bad value' },
        annotations: { 'bad key': '' },
        finalizers: ['orphan', 'foregroundDeletion'],
      },
      { namespaced: true, nameRule: subdomainName },
    );
    expect(atOnce(findings).map(({ path }) => path)).to.deep.equal([
      'metadata.labels',
      'metadata.labels',
      'metadata.annotations',
      'metadata.finalizers',
    ]);
  });

  it('refuses members of a prototype as keys without being fooled by them', () => {
    const labels = JSON.parse('{"__proto__":"x"}') as Record<string, string>;
    expect(validateMetadata({ name: 'a', namespace: 'd', labels }, { namespaced: true, nameRule: subdomainName })).to.have.length(1);
  });
});
