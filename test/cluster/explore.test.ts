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
  type Operator,
  type Perturbation,
  type Plan,
  type ScenarioStep,
  type TestCluster,
} from '../../deploy/testing/index.js';
import { resource } from '../../api/meta/resource.js';
import type { KubeObject } from '../../api/meta/object.js';
import { Connection } from '../../controllers/client/connection.js';
import { RestApi } from '../../controllers/client/rest.js';
import { planText } from '../../deploy/testing/explore/perturbation.js';
import { Copier } from '../fixtures/copier.js';
import { packageRoot } from '../fixtures/packageRoot.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';

const example = path.join(packageRoot, 'examples', 'explore');
const wholeScenario = readScenario(path.join(example, 'scenario'));
const threeStates: readonly ScenarioStep[] = [
  ...wholeScenario.slice(0, 2),
  {
    apply: {
      apiVersion: 'example.org/v1',
      kind: 'Site',
      metadata: { name: 'blog', namespace: 'default' },
      spec: { title: 'Books', theme: 'light' },
    },
  },
];
const secrets = resource<KubeObject>({ apiVersion: 'v1', resource: 'secrets', kind: 'Secret' });
const first = (call: string): { readonly call: string; readonly nth: number } => ({ call, nth: 1 });
const content = first('create configmaps default/blog-content');
const registry = first('update configmaps default/registry');

const panic: Perturbation = { kind: 'refusal', at: content, status: 500 };

const blog = 'example.org/v1 Site default/blog';
const site = (number: number): { readonly call: string; readonly nth: number } => ({
  call: 'see MODIFIED sites.example.org default/blog',
  nth: number,
});
/** The change of the second step, after those of finalizer and status. */
const changed = site(3);

/** Bugs of one operator are independent. */
const bugsByOperator: readonly (readonly (readonly [bug: string, plan: Plan, judgement: string, steps?: number])[])[] = [
  [
    ['lost', { kind: 'crash', at: content, when: 'after' }, 'finalState'],
    ['gives-up', { kind: 'refusal', at: content, status: 500 }, 'finalState'],
  ],
  [
    ['twice', { kind: 'lostAnswer', at: first('create secrets default/blog-token-*'), how: 'timeout' }, 'finalState'],
    ['lock', { kind: 'crash', at: content, when: 'before' }, 'starts'],
  ],
  [
    ['edges', { kind: 'missed', at: changed }, 'finalState', 3],
    ['blind', { kind: 'lateWrite', at: registry }, 'finalState'],
    ['blind', { kind: 'foreignWrite', at: registry }, 'overwrites'],
  ],
  [
    ['stale', { kind: 'past', at: first('create secrets default/blog-token-*') }, 'finalState', 2],
    ['conflict', { kind: 'refusal', at: registry, status: 409 }, 'finalState'],
  ],
  [
    ['once', { kind: 'change', object: blog, edits: [{ path: ['spec', 'theme'], value: 'dark' }] }, 'path'],
    ['wedged', { kind: 'change', object: blog, edits: [{ path: ['spec', 'title'], value: 'x' }] }, 'finalState'],
  ],
  [['order', { kind: 'late', at: first('see ADDED configmaps default/blog-content') }, 'finalState', 1]],
];

describe('cluster/explore', function () {
  this.timeout(300_000);
  let cluster: TestCluster;
  before(async () => {
    cluster = await startApiServer({ audit: false });
    await cluster.installCRDs(path.join(example, 'sites.yaml'));
  });
  after(() => cluster.stop());

  /** Short waits cannot hide a bug. */
  const exploreExample = (bug: string, plans: readonly Plan[], options: Partial<ExploreOptions> = {}): Promise<Exploration> =>
    explore({
      cluster,
      plans,
      timeoutMs: 2_000,
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
    const plans: readonly Plan[] = [
      { kind: 'crash', at: content, when: 'after' },
      panic,
      { kind: 'lostAnswer', at: first('create secrets default/blog-token'), how: 'break' },
      { kind: 'foreignWrite', at: registry },
      { kind: 'past', at: first('create secrets default/blog-token') },
      { kind: 'lateWrite', at: registry },
      { kind: 'missed', at: changed },
      { kind: 'late', at: first('see ADDED configmaps default/blog-content') },
      { kind: 'expired', at: changed },
      { kind: 'refusal', at: registry, status: 409 },
      {
        kind: 'change',
        object: blog,
        edits: [
          { path: ['spec', 'title'], value: 'x' },
          { path: ['spec', 'theme'], value: 'dark' },
        ],
      },
      { kind: 'change', object: blog, edits: [{ path: ['spec', 'title'] }] },
    ];
    const found = await exploreExample('', plans, { timeoutMs: 60_000, restMs: 800 });
    expect(found.findings, reportText(found)).to.deep.equal([]);
    // Its lists are always current, also after a restart; and the server refuses a site without a title.
    expect(found).to.include({ run: plans.length, notReached: 2 });
  });

  for (const bugs of bugsByOperator)
    it(`finds the bugs ${bugs.map(([bug]) => bug).join(' and ')}, and says how they came about`, async () => {
      const plans = bugs.map(([, plan]) => plan);
      const found = await exploreExample(bugs.map(([bug]) => bug).join(), plans, {
        scenario: threeStates.slice(0, bugs[0]?.[3] ?? 1),
      });
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
        expect(report).to.contain(planText(plan));
      }
    });

  it('finds the bug sweeps: what is made again is deleted by an old view', async () => {
    const [create] = wholeScenario as [ScenarioStep];
    const blogs = { apiVersion: 'example.org/v1', kind: 'Site', metadata: { name: 'blog', namespace: 'default' } };
    const scenario: readonly ScenarioStep[] = [create, { delete: blogs }, create];
    const plans: readonly Plan[] = ['create configmaps default/registry', 'rest of step 3'].map((call, index) => ({
      kind: 'past',
      at: { call, nth: 2 - index },
      from: 'stepBefore',
    }));
    const rests = [2, 3].map((step): Plan => ({ kind: 'past', at: { call: `rest of step ${step}`, nth: 1 }, from: 'restBefore' }));
    const good = await exploreExample('', [...plans, ...rests], { scenario, timeoutMs: 60_000, restMs: 800 });
    expect(good.findings, reportText(good)).to.deep.equal([]);
    for (const plan of plans) {
      const { findings } = await exploreExample('sweeps', [plan], { scenario });
      expect(findings.map(({ perturbation }) => perturbation)).to.deep.equal([plan]);
      expect(findings[0]!.violations).to.deep.include({
        judgement: 'deletions',
        details: ['"delete configmaps default/blog-content" is done 1 times by the end of step 3, and 0 times undisturbed'],
      });
    }
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

  it('finds an operator of the same process that does not begin a watch again which ended with 410', async () => {
    const at = first('see ADDED configmaps default/one');
    const maps = (name: string): ScenarioStep => ({
      apply: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: {} },
    });
    const scenario = [maps('one'), maps('two')];
    const options = { cluster, scenario, plans: [{ kind: 'expired', at }] as const, timeoutMs: 2_000, restMs: 500 };
    const correct = new Copier({ beginsAgain: true });
    const good = await explore({ ...options, timeoutMs: 60_000, operator: correct });
    expect(correct.output(), 'what it says when its connections are cut').to.contain('UnhandledPromiseRejection');
    expect(good.findings, reportText(good)).to.deep.equal([]);
    const bad = await explore({ ...options, operator: new Copier({ beginsAgain: false }) });
    expect(
      bad.findings.map(({ perturbation }) => perturbation),
      reportText(bad),
    ).to.deep.equal([{ kind: 'expired', at }]);
    expect(reportText(bad)).to.contain('<--');
  });

  it('removes what a controller makes of the last run while the operator starts', async () => {
    const at = first('see ADDED configmaps default/one');
    const scenario: readonly ScenarioStep[] = [
      { apply: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one', namespace: 'default' }, data: {} } },
    ];
    const late = new Connection({ ...cluster.admin });
    const controller = new RestApi({ connection: late, userAgent: 'kube-controller-manager/v1.36.2' });
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'late', namespace: 'default' } };
    let starts = 0;
    const operator = new Copier({
      beginsAgain: true,
      // The first two runs are the reference.
      starting: async () => void (++starts > 2 && (await controller.create(secrets, secret))),
    });
    const found = await explore({ cluster, scenario, plans: [{ kind: 'expired', at }], timeoutMs: 5_000, restMs: 500, operator });
    late.close();
    expect({ starts, notReached: found.notReached, unconfirmed: found.unconfirmed }).to.deep.equal({
      starts: 3,
      notReached: 0,
      unconfirmed: [],
    });
    expect(found.findings, reportText(found)).to.deep.equal([]);
  });

  it('waits until the garbage collector has removed what a step leaves without an owner', async () => {
    const collecting = await startApiServer({ audit: false, controllers: true });
    try {
      const map: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one', namespace: 'default' } };
      const copies: number[] = [];
      await explore({
        cluster: collecting,
        scenario: [{ apply: map }, { delete: map }],
        plans: [],
        timeoutMs: 60_000,
        restMs: 50,
        operator: new Copier({ beginsAgain: true }),
        expect: (state) => copies.push(state.filter(({ metadata }) => metadata.name === 'one-copy').length),
      });
      expect(copies).to.deep.equal([1, 0, 1, 0]);
    } finally {
      await collecting.stop();
    }
  });

  describe('with an operator that changes from run to run', () => {
    const plan: Plan = { kind: 'expired', at: first('see ADDED configmaps default/one') };
    const map: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one', namespace: 'default' } };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'left', namespace: 'default' } };
    const exploreRuns = async (panics: (run: number) => boolean, leaves: (run: number) => boolean): Promise<Exploration> => {
      const copier = new Copier({ beginsAgain: true });
      let run = 0;
      const operator: Operator = {
        start: (config) => {
          run++;
          return copier.start(config);
        },
        stop: () => copier.stop(),
        output: () => (panics(run) ? 'panic: no more\n' : ''),
      };
      const leave = async (): Promise<void> => void (leaves(run) && (await cluster.apply(secret)));
      return explore({ cluster, scenario: [{ apply: map }], plans: [plan], timeoutMs: 5_000, restMs: 500, operator, expect: leave });
    };
    const kinds = ({ findings }: Exploration): unknown[] =>
      findings.map(({ perturbation, violations }) => [perturbation, violations.map(({ judgement }) => judgement)]);

    it('blames no plan for what undisturbed runs do at times', async () => {
      const found = await exploreRuns(
        (run) => run % 2 === 1,
        () => true,
      );
      expect(kinds(found), reportText(found)).to.deep.equal([[null, ['leftovers']]]);
      expect(found.unconfirmed).to.deep.equal([]);
    });

    it('finds what two runs of a plan share, whatever else one of them shows', async () => {
      const found = await exploreRuns(
        (run) => run > 2,
        (run) => run === 3,
      );
      expect(kinds(found), reportText(found)).to.deep.equal([[plan, ['panic']]]);
    });
  });

  it('finds the bug restless, and plans nothing for an operator that does not come to its end', async () => {
    const found = await exploreExample('restless', [panic], { timeoutMs: 1_000 });
    expect(found.findings.map(({ violations }) => violations.map(({ judgement }) => judgement))).to.deep.equal([['quiet']]);
    expect(found.run).to.equal(0);
  });
});
