import { expect } from 'chai';
import path from 'node:path';
import {
  explore,
  CommandOperator,
  readScenario,
  reportText,
  startApiServer,
  type Exploration,
  type ExploreOptions,
  type Perturbation,
  type TestCluster,
} from '../../deploy/testing/index.js';
import { packageRoot } from '../fixtures/packageRoot.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';

const example = path.join(packageRoot, 'examples', 'explore');
const wholeScenario = readScenario(path.join(example, 'scenario'));
const first = (call: string): { readonly call: string; readonly nth: number } => ({ call, nth: 1 });
const content = first('create configmaps default/blog-content');
const registry = first('update configmaps default/registry');

const panic: Perturbation = { kind: 'refusal', at: content, status: 500 };

/** Those of one operator do not touch each other. */
const bugsByOperator: readonly (readonly (readonly [bug: string, plan: Perturbation, judgement: string])[])[] = [
  [
    ['lost', { kind: 'crash', at: content, when: 'after' }, 'finalState'],
    ['gives-up', { kind: 'refusal', at: content, status: 500 }, 'finalState'],
  ],
  [
    ['twice', { kind: 'lostAnswer', at: first('create secrets default/blog-token-*'), how: 'timeout' }, 'finalState'],
    ['lock', { kind: 'crash', at: content, when: 'before' }, 'starts'],
  ],
];

describe('cluster/explore', function () {
  this.timeout(300_000);
  let cluster: TestCluster;
  before(async () => {
    cluster = await startApiServer({ audit: false });
    await cluster.installCRDs(path.join(example, 'sites.yaml'));
  });
  after(() => cluster.stop());

  /** Little patience and rest cannot hide a bug. */
  const exploreExample = (bug: string, plans: readonly Perturbation[], options: Partial<ExploreOptions> = {}): Promise<Exploration> =>
    explore({
      cluster,
      plans,
      patienceMs: 2_000,
      restMs: 500,
      scenario: wholeScenario,
      operator: new CommandOperator({
        command: ['/usr/bin/env', `BUG=${bug}`, process.execPath, path.join(example, 'operator.mjs')],
        variable: 'KUBECONFIG',
        folder: temporaryDirectory('explore'),
      }),
      ...options,
    });

  it('finds nothing in the correct operator', async () => {
    const plans: readonly Perturbation[] = [
      { kind: 'crash', at: content, when: 'after' },
      panic,
      { kind: 'lostAnswer', at: first('create secrets default/blog-token'), how: 'break' },
      { kind: 'foreignWrite', at: registry },
    ];
    const found = await exploreExample('', plans, { patienceMs: 60_000, restMs: 800 });
    expect(found.findings, reportText(found)).to.deep.equal([]);
    expect(found).to.include({ run: plans.length, notReached: 0 });
  });

  for (const bugs of bugsByOperator)
    it(`finds the bugs ${bugs.map(([bug]) => bug).join(' and ')}, and says how they came about`, async () => {
      const plans = bugs.map(([, plan]) => plan);
      const found = await exploreExample(bugs.map(([bug]) => bug).join(), plans, { scenario: wholeScenario.slice(0, 1) });
      const report = reportText(found);
      const disturbed = found.findings.filter(({ perturbation }) => perturbation !== null);
      expect(
        disturbed.map(({ perturbation }) => perturbation),
        report,
      ).to.deep.equal(plans);
      for (const [index, [, plan, judgement]] of bugs.entries()) {
        expect(
          disturbed[index]!.violations.map((each) => each.judgement),
          report,
        ).to.include(judgement);
        expect(report).to.contain(plan.at.call);
      }
      expect(report).to.contain('<--');
    });

  it('finds the bugs leak and generation without any disturbance, and others beside them', async () => {
    const { findings } = await exploreExample('leak,generation,panic', [panic]);
    const judgements = findings.map(({ perturbation, violations }) => ({
      perturbation,
      judgements: violations.map(({ judgement }) => judgement),
    }));
    expect(judgements[0]?.perturbation).to.equal(null);
    expect(judgements[0]?.judgements).to.include.members(['generation', 'leftovers']);
    expect(judgements[1]?.perturbation).to.equal(panic);
    expect(judgements[1]?.judgements).to.include('panic');
    expect(findings).to.have.length(2);
  });

  it('finds the bug restless, and plans nothing for an operator that does not come to its end', async () => {
    const found = await exploreExample('restless', [panic], { patienceMs: 1_000 });
    expect(found.findings.map(({ violations }) => violations.map(({ judgement }) => judgement))).to.deep.equal([['quiet']]);
    expect(found.run).to.equal(0);
  });
});
