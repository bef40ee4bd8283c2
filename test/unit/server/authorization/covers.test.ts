import { expect } from 'chai';
import fc from 'fast-check';
import { compareRules, listedMax, missingRules, type Missing } from '../../../../server/authorization/rbac/covers.js';
import { describeRule, type PolicyRule } from '../../../../server/authorization/rbac/policy.js';
import { Prefixes } from '../../../../server/authorization/rbac/prefixes.js';
import { comparisonStepsMax, Work } from '../../../../server/authorization/rbac/work.js';
import { turns } from '../../../../workers/turns/turns.js';

const rule = (parts: Partial<PolicyRule>): PolicyRule => ({
  verbs: [],
  apiGroups: [],
  resources: [],
  resourceNames: [],
  nonResourceURLs: [],
  ...parts,
});
const on = (resources: string[], verbs: string[], resourceNames: string[] = [], apiGroups = ['']): PolicyRule =>
  rule({ apiGroups, resources, verbs, resourceNames });
const paths = (nonResourceURLs: string[], verbs: string[]): PolicyRule => rule({ nonResourceURLs, verbs });

describe('authorization/rbac/covers', () => {
  const cases: [string, PolicyRule[], PolicyRule[], string[]][] = [
    ['what is held', [on(['pods', 'secrets'], ['get', 'list'])], [on(['pods'], ['get'])], []],
    ['what several rules hold together', [on(['pods'], ['get']), on(['pods'], ['list'])], [on(['pods'], ['get', 'list'])], []],
    [
      'a verb that is not',
      [on(['pods'], ['get'])],
      [on(['pods'], ['get', 'delete'])],
      ['{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}'],
    ],
    [
      'verbs that are not, in one line',
      [],
      [on(['pods'], ['get', 'delete'])],
      ['{APIGroups:[""], Resources:["pods"], Verbs:["get" "delete"]}'],
    ],
    ['names under what holds all', [on(['pods'], ['get'])], [on(['pods'], ['get'], ['a'])], []],
    ['all under a name', [on(['pods'], ['get'], ['a'])], [on(['pods'], ['get'])], ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}']],
    [
      'another name',
      [on(['pods'], ['get'], ['a'])],
      [on(['pods'], ['get'], ['a', 'b'])],
      ['{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}'],
    ],
    ['a wildcard under words', [on(['pods'], ['get'])], [on(['*'], ['get'])], ['{APIGroups:[""], Resources:["*"], Verbs:["get"]}']],
    [
      'words under a wildcard',
      [rule({ apiGroups: ['*'], resources: ['*'], verbs: ['*'] })],
      [on(['pods/log', '*/x', '*'], ['*'], [], ['apps', '*'])],
      [],
    ],
    ['a subresource under that of any resource', [on(['*/status'], ['get'])], [on(['pods/status'], ['get'])], []],
    [
      'a subresource under its resource',
      [on(['pods'], ['get'])],
      [on(['pods/status'], ['get'])],
      ['{APIGroups:[""], Resources:["pods/status"], Verbs:["get"]}'],
    ],
    ['a path under its prefix', [paths(['/a/*'], ['get'])], [paths(['/a/b', '/a/*'], ['get'])], []],
    ['a prefix under a path', [paths(['/a/b'], ['get'])], [paths(['/a/*'], ['get'])], ['{NonResourceURLs:["/a/*"], Verbs:["get"]}']],
  ];
  for (const [what, held, wanted, missing] of cases) {
    it(`${missing.length === 0 ? 'covers' : 'does not cover'} ${what}`, () => {
      expect(missingRules(held, wanted).map(describeRule)).to.deep.equal(missing);
    });
  }

  it('finds what a comparison of every combination with every rule finds', () => {
    const word = (...words: string[]): fc.Arbitrary<string[]> => fc.array(fc.constantFrom(...words), { maxLength: 4 });
    const rules = fc.array(
      fc.record({
        verbs: word('get', 'list', 'delete', '*'),
        apiGroups: word('', 'apps', 'batch', '*'),
        resources: word('pods', 'pods/scale', 'jobs/scale', '*/scale', '*', 'jobs'),
        resourceNames: word('a', 'b', 'c'),
        nonResourceURLs: word('/a', '/a/*', '/a/b', '/a/b*', '/a/b/**', '*', '/c'),
      }),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(rules, rules, (held, wanted) => {
        expect(missingRules(held, wanted)).to.deep.equal(eachByEach(held, wanted));
      }),
      { numRuns: 2_000 },
    );
  });

  describe('of long lists', () => {
    const words = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
    /** 4 x n words, n^4 combinations. */
    const long = (n: number): PolicyRule =>
      rule({ apiGroups: words('g', n), resources: words('r', n), verbs: words('v', n), resourceNames: words('n', n) });
    const compared = async (held: PolicyRule[], wanted: PolicyRule[]): Promise<{ steps: number; missing: Missing | null }> => {
      const work = new Work(comparisonStepsMax);
      return { missing: await compareRules(held, wanted, { work }), steps: work.steps };
    };
    const stepsOf = async (held: (n: number) => PolicyRule[], n: number): Promise<number> => (await compared(held(n), [long(n)])).steps;

    const holdings: Readonly<Record<string, (n: number) => PolicyRule[]>> = {
      nothing: () => [],
      everything: () => [rule({ apiGroups: ['*'], resources: ['*'], verbs: ['*'] })],
      'the same': (n) => [long(n)],
      'the same without names, in a rule for each group': (n) =>
        words('g', n).map((group) => rule({ apiGroups: [group], resources: words('r', n), verbs: words('v', n) })),
      'all but one word': (n) => [rule({ ...long(n), verbs: words('v', n - 1) })],
    };
    for (const [what, held] of Object.entries(holdings)) {
      it(`takes twice the steps for lists of twice the length, where ${what} is held`, async () => {
        const sizeOf = (n: number): number =>
          [...held(n), long(n)].reduce(
            (size, { verbs, apiGroups, resources, resourceNames }) =>
              size + verbs.length + apiGroups.length + resources.length + resourceNames.length,
            0,
          );
        for (const n of [100, 200]) expect(await stepsOf(held, n)).to.be.lessThan(6 * sizeOf(n));
      });
    }

    it('lists so many combinations that are not held, and says that there are more', async () => {
      const { missing } = await compared([], [long(100)]);
      expect(missing).to.deep.include({ cut: true });
      expect(missing!.rules.reduce((count, { verbs }) => count + verbs.length, 0)).to.equal(listedMax);
    });

    it('gives up where rules that overlap in part leave too many combinations, and lets others go ahead meanwhile', async () => {
      // Each word has its own rules, so that none can be merged.
      const pieces = (n: number): PolicyRule[] =>
        Array.from({ length: n }, (_, i) =>
          rule({
            apiGroups: words('g', n).filter((_w, at) => at !== i),
            resources: words('r', n).filter((_w, at) => at !== (i * 7) % n),
            verbs: words('v', n).filter((_w, at) => at !== (i * 11) % n),
            resourceNames: words('n', n).filter((_w, at) => at !== (i * 13) % n),
          }),
        );
      const before = turns.steps;
      const { missing, steps } = await compared(pieces(120), [long(120)]);
      expect(missing).to.equal(null);
      expect(steps).to.be.lessThan(comparisonStepsMax * 1.1);
      expect(turns.steps - before).to.be.greaterThan(100);
    });
  });

  it('knows with which texts another one begins', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 6 });
    fc.assert(
      fc.property(fc.array(text), text, (texts, asked) => {
        expect(new Prefixes(texts).of(asked)).to.deep.equal(
          [...new Set(texts)].filter((each) => asked.startsWith(each)).sort((a, b) => b.length - a.length),
        );
      }),
      { numRuns: 1_000 },
    );
  });
});

/** The comparison without optimizations. */
function eachByEach(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const joined = new Map<string, PolicyRule & { verbs: string[] }>();
  for (const atom of wanted.flatMap(atomsOf)) {
    if (held.some((one) => grants(one, atom))) continue;
    const key = JSON.stringify({ ...atom, verbs: atom.nonResourceURLs.length === 0 ? [] : atom.verbs });
    const same = joined.get(key);
    if (same === undefined) joined.set(key, { ...atom, verbs: [...atom.verbs] });
    else same.verbs.push(...atom.verbs);
  }
  return [...joined.values()];
}

function atomsOf({ apiGroups, resources, verbs, resourceNames, nonResourceURLs }: PolicyRule): PolicyRule[] {
  const names = resourceNames.length === 0 ? [[]] : resourceNames.map((name) => [name]);
  return [
    ...apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) =>
          names.map((name) => rule({ apiGroups: [group], resources: [resource], verbs: [verb], resourceNames: name })),
        ),
      ),
    ),
    ...nonResourceURLs.flatMap((url) => verbs.map((verb) => rule({ nonResourceURLs: [url], verbs: [verb] }))),
  ];
}

function grants(
  held: PolicyRule,
  { apiGroups: [group], resources: [resource], verbs: [verb], resourceNames: [name], nonResourceURLs: [url] }: PolicyRule,
): boolean {
  const has = (list: readonly string[], word: string): boolean => list.includes('*') || list.includes(word);
  if (!has(held.verbs, verb!) || (held.resourceNames.length > 0 && (name === undefined || !held.resourceNames.includes(name))))
    return false;
  if (url !== undefined)
    return held.nonResourceURLs.some((own) => own === url || (own.endsWith('*') && url.startsWith(own.replace(/\*+$/, ''))));
  const slash = resource!.indexOf('/');
  return (
    has(held.apiGroups, group!) && (has(held.resources, resource!) || (slash >= 0 && held.resources.includes(`*${resource!.slice(slash)}`)))
  );
}
