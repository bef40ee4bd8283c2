import { expect } from 'chai';
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import type { LifeCycle, Names } from '../../../../server/extensions/definition.js';
import { acceptedNames } from '../../../../server/extensions/lifecycle/names.js';
import { planStatus, withStatus } from '../../../../server/extensions/lifecycle/plan.js';
import { nonStructuralCondition } from '../../../../server/extensions/lifecycle/structuralCondition.js';

const none: Names = { plural: '', singular: '', kind: '', listKind: '', shortNames: [], categories: [] };
const names = (plural: string, kind: string, shortNames: readonly string[] = []): Names => ({
  plural,
  singular: plural.replace(/s$/, ''),
  kind,
  listKind: `${kind}List`,
  shortNames,
  categories: [],
});
const life = (requested: Names, version: number, accepted: Names = none, more: Partial<LifeCycle> = {}): LifeCycle => ({
  name: `${requested.plural}.example.com`,
  group: 'example.com',
  version,
  requested,
  accepted,
  conditions: [],
  nonStructural: null,
  annotations: {},
  hasBadBundle: false,
  awaitsCleanup: false,
  ...more,
});

describe('extensions/names', () => {
  it('establishes nothing as long as the authorities of its webhook cannot be read', () => {
    const own = life(names('apples', 'Apple'), 1, none, { hasBadBundle: true });
    expect(planStatus(own, [own])?.conditions.map(({ type, status, reason }) => [type, status, reason])).to.deep.equal([
      ['NamesAccepted', 'True', 'NoConflicts'],
      ['Established', 'False', 'InvalidCABundle'],
    ]);
  });

  it('accepts everything that nobody has', () => {
    const own = life(names('apples', 'Apple', ['ap']), 1);
    expect(acceptedNames(own, [own, life(names('pears', 'Pear'), 2, names('pears', 'Pear'))])).to.deep.equal({
      names: own.requested,
      conflict: null,
    });
  });

  for (const [title, requested, taken, reason, message] of [
    [
      'plural',
      names('apples', 'Apple'),
      { ...names('pears', 'Pear'), shortNames: ['apples'] },
      'PluralConflict',
      '"apples" is already in use',
    ],
    ['singular', names('apples', 'Apple'), { ...names('pears', 'Pear'), plural: 'apple' }, 'SingularConflict', '"apple" is already in use'],
    [
      'short names',
      names('apples', 'Apple', ['a', 'b', 'c']),
      names('pears', 'Pear', ['a', 'c']),
      'ShortNamesConflict',
      '["a" is already in use, "c" is already in use]',
    ],
    ['kind', names('apples', 'Apple'), { ...names('pears', 'Pear'), kind: 'Apple' }, 'KindConflict', '"Apple" is already in use'],
    [
      'list kind',
      names('apples', 'Apple'),
      { ...names('pears', 'Pear'), listKind: 'AppleList' },
      'ListKindConflict',
      '"AppleList" is already in use',
    ],
  ] as const) {
    it(`keeps a ${title} from the second one that wants it`, () => {
      expect(acceptedNames(life(requested, 2), [life(taken, 1, taken)]).conflict).to.deep.equal({ reason, message });
    });
  }

  it('knows no conflicts between groups', () => {
    const other = life(names('apples', 'Apple'), 1, names('apples', 'Apple'), { name: 'apples.example.org', group: 'example.org' });
    expect(acceptedNames(life(names('apples', 'Apple'), 2), [other]).conflict).to.equal(null);
  });

  it('leaves what it has to a definition whose new names are taken', () => {
    const own = life({ ...names('apples', 'Apple'), singular: 'pear' }, 3, names('apples', 'Apple'));
    const { names: accepted, conflict } = acceptedNames(own, [life(names('pears', 'Pear'), 1, names('pears', 'Pear'))]);
    expect(accepted.singular).to.equal('apple');
    expect(conflict?.reason).to.equal('SingularConflict');
  });

  /** Several servers decide on one definition in turn, from possibly outdated states; a write succeeds only if its definition is unchanged. */
  it('never gives one name to two, however servers interleave, and always ends', () => {
    const word = fc.constantFrom('a', 'b', 'c');
    const wish = fc.record({ singular: word, shortNames: fc.uniqueArray(word, { maxLength: 2 }), kind: word });
    fc.assert(
      fc.property(
        fc.array(wish, { minLength: 2, maxLength: 4 }),
        fc.array(fc.tuple(fc.nat(3), fc.nat(5), fc.option(wish)), { maxLength: 40 }),
        (wishes, steps) => {
          let version = 0;
          const requestOf = (index: number, { singular, shortNames, kind }: (typeof wishes)[number]): Names => ({
            ...none,
            plural: `p${index}`,
            singular,
            shortNames,
            kind,
            listKind: `${kind}List`,
          });
          const states: LifeCycle[][] = [[]];
          const put = (changed: LifeCycle): void => {
            states.push([...(states.at(-1) ?? []).filter(({ name }) => name !== changed.name), { ...changed, version: ++version }]);
          };
          wishes.forEach((each, index) => {
            put(life(requestOf(index, each), 0, none, { name: `p${index}` }));
          });
          const decide = (index: number, seen: readonly LifeCycle[]): void => {
            const own = seen.find(({ name }) => name === `p${index}`);
            const present = (states.at(-1) ?? []).find(({ name }) => name === `p${index}`);
            if (own === undefined || present?.version !== own.version) return;
            const { names: accepted } = acceptedNames(own, seen);
            if (!isDeepStrictEqual(accepted, own.accepted)) put({ ...own, accepted });
          };
          const check = (): void => {
            for (const pick of [
              ({ plural, singular, shortNames }: Names) => [...new Set([plural, singular, ...shortNames])],
              ({ kind, listKind }: Names) => [kind, listKind],
            ]) {
              const all = (states.at(-1) ?? []).flatMap(({ accepted }) => pick(accepted)).filter((name) => name !== '');
              expect(new Set(all).size, JSON.stringify(states.at(-1))).to.equal(all.length);
            }
          };
          for (const [index, lag, change] of steps) {
            const target = (states.at(-1) ?? [])[index % wishes.length];
            if (target !== undefined && change !== null) put({ ...target, requested: requestOf(Number(target.name.slice(1)), change) });
            decide(index % wishes.length, states[Math.max(0, states.length - 1 - lag)] ?? []);
            check();
          }
          for (let round = 0; round < 10; round++)
            wishes.forEach((_, index) => {
              decide(index, states.at(-1) ?? []);
            });
          check();
          const settled = states.length;
          wishes.forEach((_, index) => {
            decide(index, states.at(-1) ?? []);
          });
          expect(states.length).to.equal(settled);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('extensions/plan', () => {
  const said = (plan: ReturnType<typeof planStatus>): unknown => plan?.conditions.map(({ type, status, reason }) => [type, status, reason]);

  it('establishes a definition whose names are its own, and leaves it alone then', () => {
    const own = life(names('apples', 'Apple'), 1);
    const plan = planStatus(own, [own]);
    expect(said(plan)).to.deep.equal([
      ['NamesAccepted', 'True', 'NoConflicts'],
      ['Established', 'True', 'InitialNamesAccepted'],
    ]);
    const conditions = (plan?.conditions ?? []).map((condition) => ({ ...condition, lastTransitionTime: 'x' }));
    expect(planStatus({ ...own, accepted: own.requested, conditions }, [])).to.equal(null);
  });

  it('never takes back that a definition is established', () => {
    const established = {
      type: 'Established',
      status: 'True',
      reason: 'InitialNamesAccepted',
      message: 'the initial names have been accepted',
    };
    const own = life({ ...names('apples', 'Apple'), singular: 'pear' }, 3, names('apples', 'Apple'), { conditions: [established] });
    expect(said(planStatus(own, [life(names('pears', 'Pear'), 1, names('pears', 'Pear'))]))).to.deep.equal([
      ['NamesAccepted', 'False', 'SingularConflict'],
    ]);
  });

  it('says what is wrong with the structure of old schemas, until nothing is', () => {
    const spec = (preserveUnknownFields: boolean, schema: JsonObject): JsonObject => ({
      preserveUnknownFields,
      versions: [{ name: 'v1', schema: { openAPIV3Schema: schema } }, { name: 'v2' }],
    });
    const [old, right] = [{ properties: { a: { type: 'string' } } }, { type: 'object' }];
    const condition = nonStructuralCondition(spec(true, old));
    expect(condition).to.deep.equal({
      type: 'NonStructuralSchema',
      status: 'True',
      reason: 'Violations',
      message:
        '[spec.preserveUnknownFields: Invalid value: true: must be false, spec.versions[0].schema.openAPIV3Schema.type: Required value: must not be empty at the root]',
    });
    expect(nonStructuralCondition(spec(true, right))?.message).to.equal('spec.preserveUnknownFields: Invalid value: true: must be false');
    expect(nonStructuralCondition(spec(true, { $ref: '#/a' }))).to.deep.include({ status: 'Unknown', reason: 'StructuralError' });
    expect(nonStructuralCondition(spec(false, right))).to.equal(null);
    const accepted = names('apples', 'Apple');
    const own = life(accepted, 1, accepted, { nonStructural: condition });
    const plan = planStatus(own, [own]);
    if (plan === null) throw new Error('nothing is planned');
    const reported = (definition: ApiObject): JsonObject[] => (definition['status'] as unknown as { conditions: JsonObject[] }).conditions;
    const conditions = reported(withStatus({ metadata: {} }, plan, 'now'));
    expect(conditions.map(({ type }) => type)).to.deep.equal(['NamesAccepted', 'Established', 'NonStructuralSchema']);
    const settled = { ...own, conditions };
    expect(planStatus(settled, [])).to.equal(null);
    const mended = planStatus({ ...settled, nonStructural: null }, []);
    if (mended === null) throw new Error('nothing is planned');
    expect(reported(withStatus({ metadata: {}, status: { conditions } }, mended, 'now')).map(({ type }) => type)).to.deep.equal([
      'NamesAccepted',
      'Established',
    ]);
  });

  for (const [annotation, status, reason] of [
    ['', 'False', 'MissingAnnotation'],
    ['unapproved, testing', 'False', 'UnapprovedAnnotation'],
    ['https://example.com/1', 'True', 'ApprovedAnnotation'],
    ['nonsense', 'False', 'InvalidAnnotation'],
  ] as const) {
    it(`tells whether a protected group is approved: ${reason}`, () => {
      const own = life(names('apples', 'Apple'), 1, none, {
        group: 'x.k8s.io',
        annotations: annotation === '' ? {} : { 'api-approved.kubernetes.io': annotation },
      });
      expect(said(planStatus(own, []))).to.deep.include(['KubernetesAPIApprovalPolicyConformant', status, reason]);
    });
  }
});
