import { expect } from 'chai';
import fc from 'fast-check';
import { diffLines, hunks } from '../../../console/model/diff.js';
import { LineSplitter } from '../../../console/model/lines.js';
import { History, ratesOf, rolesIn, slotMs, type Sample } from '../../../console/model/history.js';
import { parseMetrics, quantile, total } from '../../../console/model/metrics.js';
import { certificatesIn, endingFirst, type Certificate } from '../../../console/model/certificates.js';
import { age, fieldPaths, ownershipTree, type ApiObject } from '../../../console/model/objects.js';
import { QueueHistory } from '../../../console/model/queues.js';
import { fits, topHolders, topUsers, worstFirst, type SeenRequest } from '../../../console/model/requests.js';
import { phasesOf } from '../../../console/model/latency.js';
import { Series } from '../../../console/model/series.js';
import { compareCells, shownRows, TableModel, type RowEvent, type TableRow } from '../../../console/model/tableModel.js';
import { Timeline, type MemberView } from '../../../console/model/timeline.js';

describe('console/diff', () => {
  const textOf = (lines: readonly { readonly sign: string; readonly text: string }[], without: string): string =>
    lines
      .filter(({ sign }) => sign !== without)
      .map(({ text }) => text)
      .join('\n');

  it('leads from the first text to the second, whatever they are', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = diffLines(before, after);
        expect(textOf(lines, '+')).to.equal(before);
        expect(textOf(lines, '-')).to.equal(after);
      }),
    );
  });

  it('changes as little as can be', () => {
    expect(diffLines('a\nb\nc\nd', 'a\nc\nd\ne').filter(({ sign }) => sign !== ' ')).to.deep.equal([
      { sign: '-', text: 'b' },
      { sign: '+', text: 'e' },
    ]);
  });

  it('leaves out what is equal and far away', () => {
    const same = Array.from({ length: 20 }, (_, at) => `line ${at}`);
    const shown = hunks(diffLines([...same, 'x', ...same].join('\n'), [...same, 'y', ...same].join('\n')), 2);
    expect(shown.map((line) => line?.text ?? null)).to.deep.equal([null, 'line 18', 'line 19', 'x', 'y', 'line 0', 'line 1', null]);
  });
});

describe('console/lines', () => {
  it('puts lines together that come in pieces, and refuses one without end', () => {
    const splitter = new LineSplitter(10);
    expect([...splitter.push('{"a"'), ...splitter.push(':1}\n{"b":2}\n\n{'), ...splitter.push('}\n')]).to.deep.equal([
      '{"a":1}',
      '{"b":2}',
      '{}',
    ]);
    expect(() => splitter.push('12345678901')).to.throw('too long');
  });
});

describe('console/metrics', () => {
  const text =
    '# TYPE r counter\nr{verb="GET",code="200"} 3\nr{verb="WATCH",path="a\\"}b"} 4 1700000\nplain 2.5\nother 1\nd_bucket{le="0.1"} 10\nd_bucket{le="1"} 20\nd_bucket{le="+Inf"} 20\n';
  const samples = parseMetrics(text, new Set(['r', 'plain', 'd_bucket']));

  it('reads names, labels and values, and only those that are wanted', () => {
    expect(samples.get('r')).to.deep.equal([
      { labels: { verb: 'GET', code: '200' }, value: 3 },
      { labels: { verb: 'WATCH', path: 'a"}b' }, value: 4 },
    ]);
    expect(total(samples, 'plain')).to.equal(2.5);
    expect(samples.has('other')).to.equal(false);
    expect(total(samples, 'r', ({ verb }) => verb === 'WATCH')).to.equal(4);
  });

  it('finds quantiles of what came between two readings', () => {
    const now = new Map(
      (samples.get('d_bucket') ?? []).map(({ labels, value }) => [labels['le'] === '+Inf' ? Infinity : Number(labels['le']), value]),
    );
    expect(quantile(0.5, new Map(), now)).to.be.closeTo(0.1, 1e-9);
    expect(quantile(0.75, new Map(), now)).to.be.closeTo(0.55, 1e-9);
    expect(quantile(0.99, now, now), 'nothing came').to.equal(null);
  });
});

describe('console/series', () => {
  it('keeps the latest, and gaps for lines that were not there', () => {
    const series = new Series(2);
    series.add(1, { a: 1 });
    series.add(2, { a: 2, b: 20 });
    series.add(3, { b: 30 });
    expect(series.columns(['a', 'b', 'c'])).to.deep.equal([
      [2, 3],
      [2, null],
      [20, 30],
      [null, null],
    ]);
    expect(series.latest('b')).to.equal(30);
  });

  it('puts what comes late where it belongs', () => {
    const series = new Series(3);
    series.add(1, { a: 1 });
    series.add(3, { a: 3 });
    series.add(2, { b: 20 });
    series.add(1, { b: 10 });
    expect(series.columns(['a', 'b'])).to.deep.equal([
      [1, 2, 3],
      [1, null, 3],
      [10, 20, null],
    ]);
    series.add(4, { a: 4 });
    expect(series.columns(['a'])[0]).to.deep.equal([2, 3, 4]);
  });
});

describe('console/history', () => {
  const sample = (at: number, more: Partial<Sample> = {}): Sample => ({
    at,
    requests: 0,
    latency: [],
    watches: 0,
    connections: 0,
    loopSeconds: 0,
    logBytes: 0,
    storeBytes: 0,
    stores: [],
    raft: null,
    ...more,
  });
  const leading = (commitIndex: number, behind: Readonly<Record<string, number>> = {}): Sample['raft'] => ({
    role: 'leader',
    term: 1,
    commitIndex,
    appliedIndex: commitIndex,
    snapshotsInstalled: 0,
    behind,
  });

  it('tells rates between samples, and none over a new start', () => {
    const before = sample(0, { requests: 10, raft: leading(5), latency: [[0.1, 0], [null, 0]] }); // prettier-ignore
    const after = sample(2_000, { requests: 30, raft: leading(9), latency: [[0.1, 4], [null, 4]] }); // prettier-ignore
    expect(ratesOf(before, after)).to.deep.equal({ requests: 10, commits: 2, p50: 0.05, p99: 0.099 });
    expect(ratesOf(after, sample(4_000, { requests: 1 })).requests).to.equal(null);
    expect(ratesOf(undefined, after).requests).to.equal(null);
  });

  it('brings members together that took their samples at other moments, and whole histories with what comes later', () => {
    const history = new History(new Series(10));
    history.add('a', [sample(1_000, { watches: 1 }), sample(slotMs + 10, { watches: 2, raft: leading(9, { b: 3 }) })]);
    history.add('b', [sample(900, { watches: 7 }), sample(slotMs + 900, { watches: 8 })]);
    expect(history.series.columns(['watches a', 'watches b', 'lag b'])).to.deep.equal([
      [0, slotMs / 1000],
      [1, 2],
      [7, 8],
      [null, 3],
    ]);
    expect([history.since('a'), history.since('none')]).to.deep.equal([slotMs + 10, 0]);
  });

  it('has the timeline of what was before anybody looked', () => {
    const follower: Sample['raft'] = { ...leading(1)!, role: 'follower' };
    const before = new Map([
      ['a', [sample(1, { raft: leading(1) }), sample(30, { raft: follower })]],
      ['b', [sample(2, { raft: follower }), sample(20, { raft: { ...leading(2)!, term: 2 } })]],
    ]);
    const timeline = new Timeline(60_000);
    for (const { id, at, raft } of rolesIn(before)) timeline.observe([{ id, program: null, ...raft }], at);
    expect(timeline.events.map(({ at, member, what }) => [at, member, what])).to.deep.equal([
      [30, 'a', 'steppedDown'],
      [20, 'b', 'elected'],
      [1, 'a', 'elected'],
    ]);
  });
});

describe('console/tableModel', () => {
  const row = (name: string, ...cells: readonly unknown[]): TableRow => ({
    cells: [name, ...cells],
    object: { metadata: { name, namespace: 'n' } },
  });

  it('is what the events say, in the order of names', () => {
    const names = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const event = fc.record({ type: fc.constantFrom('ADDED', 'MODIFIED', 'DELETED'), name: names, cell: fc.nat(9) });
    fc.assert(
      fc.property(fc.array(names), fc.array(event), (listed, events) => {
        const model = new TableModel();
        const expected = new Map([...new Set(listed)].map((name) => [name, 0]));
        model.reset([...expected.keys()].map((name) => row(name, 0)));
        for (const { type, name, cell } of events) {
          model.apply({ type, row: row(name, cell) } as RowEvent, 1);
          if (type === 'DELETED') expected.delete(name);
          else expected.set(name, cell);
        }
        expect(model.rows.map(({ cells }) => cells)).to.deep.equal([...expected].sort(([a], [b]) => (a < b ? -1 : 1)));
      }),
    );
  });

  it('filters by names and sorts by columns, numbers as numbers', () => {
    const model = new TableModel();
    model.reset([row('web-1', '10/10'), row('web-2', '2/3'), row('db', '1/1')]);
    const names = (rows: ReturnType<typeof shownRows>): readonly unknown[] => rows.map(({ cells }) => cells[0]);
    expect(names(shownRows(model.rows, 'WEB', { column: 1, descending: false }))).to.deep.equal(['web-2', 'web-1']);
    expect(names(shownRows(model.rows, '', { column: 1, descending: true }))).to.deep.equal(['web-1', 'web-2', 'db']);
    expect(shownRows(model.rows, '', null), 'nothing is copied').to.equal(model.rows);
    expect(compareCells(9, 10)).to.be.lessThan(0);
    expect(compareCells('b', 'a')).to.be.greaterThan(0);
  });
});

describe('console/timeline', () => {
  const member = (id: string, more: Partial<MemberView> = {}): MemberView => ({
    id,
    program: 'running',
    role: 'follower',
    term: 1,
    snapshotsInstalled: 0,
    ...more,
  });
  const words = (timeline: Timeline): readonly string[] =>
    timeline.events.map(({ member: id, what, term }) => `${id} ${what} ${term}`).reverse();

  it('tells of a leader that is killed, of who follows it, and of its return', () => {
    const timeline = new Timeline(60_000);
    timeline.observe([member('r1', { role: 'leader' }), member('r2')], 0);
    timeline.observe([member('r1', { program: 'down', role: null, term: null }), member('r2')], 400);
    timeline.observe([member('r1', { program: 'down', role: null, term: null }), member('r2', { role: 'leader', term: 2 })], 800);
    timeline.observe([member('r1', { role: null, term: null }), member('r2', { role: 'leader', term: 2 })], 1_200);
    timeline.observe([member('r1', { term: 2, snapshotsInstalled: 1 }), member('r2', { role: 'leader', term: 2 })], 1_600);
    expect(words(timeline)).to.deep.equal([
      'r1 elected 1',
      'r1 killed null',
      'r2 elected 2',
      'r1 started null',
      'r1 answers 2',
      'r1 snapshot 2',
    ]);
    expect(timeline.spans.get('r1')?.map(({ standing, from, to }) => [standing, from, to])).to.deep.equal([
      ['leader', 0, 400],
      ['down', 400, 1_200],
      ['silent', 1_200, 1_600],
      ['follower', 1_600, null],
    ]);
  });

  it('without a launcher, tells of silence and not of kills', () => {
    const timeline = new Timeline(60_000);
    timeline.observe([member('r1', { program: null })], 0);
    timeline.observe([member('r1', { program: null, role: null, term: null })], 400);
    timeline.observe([member('r1', { program: null, role: 'candidate', term: 3 })], 800);
    expect(words(timeline)).to.deep.equal(['r1 silent null', 'r1 answers 3', 'r1 stands 3']);
  });

  it('tells when a member is held, goes on, is cut off and connected again', () => {
    const timeline = new Timeline(60_000);
    for (const [at, program] of (['running', 'paused', 'running', 'partitioned', 'running'] as const).entries())
      timeline.observe([member('r1', { program })], at);
    expect(words(timeline)).to.deep.equal(['r1 paused 1', 'r1 resumed 1', 'r1 cutOff 1', 'r1 healed 1']);
  });

  it('keeps no more than its time', () => {
    const timeline = new Timeline(1_000);
    for (let at = 0; at < 100_000; at += 100) timeline.observe([member('r1', { program: at % 200 === 0 ? 'running' : 'paused' })], at);
    expect(timeline.spans.get('r1')?.length).to.be.lessThan(13);
    expect(timeline.events.length).to.equal(300);
  });
});

describe('console/objects', () => {
  const object = (kind: string, uid: string, ...owners: readonly string[]): ApiObject => ({
    kind,
    metadata: { name: uid, uid, ownerReferences: owners.map((owner) => ({ apiVersion: 'v1', kind: 'x', name: owner, uid: owner })) },
  });

  it('shows a family from its head down', () => {
    const known = [
      object('Deployment', 'd'),
      object('ReplicaSet', 's', 'd'),
      object('Pod', 'p1', 's'),
      object('Pod', 'p2', 's'),
      object('Pod', 'stranger'),
    ];
    const tree = ownershipTree(known, 'p1');
    expect(tree?.object.metadata.uid).to.equal('d');
    expect(tree?.children[0]?.children.map((child) => child.object.metadata.uid)).to.deep.equal(['p1', 'p2']);
  });

  it('does not follow circles for ever', () => {
    expect(ownershipTree([object('A', 'a', 'b'), object('B', 'b', 'a')], 'a')).not.to.equal(null);
  });

  it('reads field sets as paths', () => {
    expect(
      fieldPaths({
        'f:spec': { 'f:replicas': {}, 'f:ports': { 'k:{"port":80}': { '.': {}, 'f:port': {} } } },
        'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
      }),
    ).to.deep.equal(['metadata.labels.app', 'spec.ports[{"port":80}].port', 'spec.replicas']);
  });

  it('says ages as tables do', () => {
    expect([5, 119, 120, 7_199, 7_200, 172_800].map((seconds) => age(0, seconds * 1_000))).to.deep.equal([
      '5s',
      '119s',
      '2m',
      '119m',
      '2h',
      '2d',
    ]);
  });
});

describe('console/certificates', () => {
  const day = 86_400_000;
  const now = 20_000 * day;
  const certificate = (subject: string, days: number | null, option = '--client-ca-file'): Certificate => ({
    option,
    subject,
    fingerprint: days === null ? '' : `of ${subject}`,
    endsAt: days === null ? null : now + days * day,
  });

  it('tells each once, with all that have it, the first to end first', () => {
    const endings = endingFirst(
      new Map([
        ['r1', [certificate('later', 400), certificate('shared', 20), certificate('', null, '--oidc-ca-file')]],
        ['r2', [certificate('shared', 20), certificate('shared', 20, '--raft-ca-file'), certificate('old', -2)]],
      ]),
      now,
    );
    expect(
      endings.map(({ subject, servers, options, days, urgency }) => [subject, servers.join(), options.join(), days, urgency]),
    ).to.deep.equal([
      ['', 'r1', '--oidc-ca-file', 0, 'now'],
      ['old', 'r2', '--client-ca-file', -2, 'now'],
      ['shared', 'r1,r2', '--client-ca-file,--raft-ca-file', 20, 'soon'],
      ['later', 'r1', '--client-ca-file', 400, 'later'],
    ]);
  });

  it('reads those of managers from their metrics', () => {
    const name = 'raftplane_certificate_end_timestamp_seconds';
    const series = [
      `# TYPE ${name} gauge`,
      `${name}{option="--kubeconfig",subject="system:kube-controller-manager",fingerprint="AB:CD"} 1900000000`,
      `${name}{option="--root-ca-file",subject="",fingerprint=""} 0`,
      'workqueue_depth{name="job"} 3',
    ];
    expect(certificatesIn(series.join('\n'))).to.deep.equal([
      { option: '--kubeconfig', subject: 'system:kube-controller-manager', fingerprint: 'AB:CD', endsAt: 1_900_000_000_000 },
      { option: '--root-ca-file', subject: '', fingerprint: '', endsAt: null },
    ]);
  });

  it('hurries in the last week', () => {
    const urgencies = [6.9, 7, 29.9, 30].map((days) => endingFirst(new Map([['r1', [certificate('a', days)]]]), now)[0]?.urgency);
    expect(urgencies).to.deep.equal(['now', 'soon', 'soon', 'later']);
  });
});

describe('console/latency', () => {
  it('puts the measured parts in their order, and the rest behind them', () => {
    const parts = { etcd: 6, authorization: 0.5, 'apf-queue-wait': 0, authentication: 1 };
    expect(phasesOf({ parts, ms: 10, watch: false })).to.deep.equal([
      { part: 'authentication', ms: 1 },
      { part: 'authorization', ms: 0.5 },
      { part: 'etcd', ms: 6 },
      { part: 'rest', ms: 2.5 },
    ]);
  });

  it('has no rest where a stream was open, or where parts were beside each other', () => {
    expect(phasesOf({ parts: { etcd: 6 }, ms: 9_000, watch: true })).to.deep.equal([{ part: 'etcd', ms: 6 }]);
    expect(phasesOf({ parts: { etcd: 6 }, ms: 5, watch: false })).to.deep.equal([{ part: 'etcd', ms: 6 }]);
  });
});

describe('console/requests', () => {
  const request = (more: Partial<SeenRequest>): SeenRequest => ({
    id: '1',
    at: 1,
    verb: 'get',
    path: '/api',
    resource: '',
    namespace: '',
    user: 'jane',
    impersonator: '',
    code: 200,
    ms: 1,
    parts: {},
    watch: false,
    agent: '',
    address: '',
    server: 'r1',
    ...more,
  });
  const all = { text: '', verb: '', only: 'all', probes: false } as const;

  it('shows what was asked for, and no health checks unless asked', () => {
    expect(fits(request({ path: '/readyz' }), all)).to.equal(false);
    expect(fits(request({ path: '/readyz' }), { ...all, probes: true })).to.equal(true);
    expect(fits(request({ code: 403 }), { ...all, only: 'refused' })).to.equal(true);
    expect(fits(request({ ms: 60_000, watch: true }), { ...all, only: 'slow' }), 'a watch lasts').to.equal(false);
    expect(fits(request({}), { ...all, text: 'JANE' })).to.equal(true);
  });

  it('puts what failed first, then what was refused, then what was slow', () => {
    const requests = [
      request({ id: 'well' }),
      request({ id: 'slow', ms: 900 }),
      request({ id: 'refused', code: 403 }),
      request({ id: 'failed', code: 500 }),
    ];
    expect(worstFirst(requests).map(({ id }) => id)).to.deep.equal(['failed', 'refused', 'slow', 'well']);
  });

  it('counts users, and watches over all servers', () => {
    expect(topUsers([request({}), request({ code: 403 }), request({ user: 'joe' })], 5)).to.deep.equal([
      { user: 'jane', count: 2, refused: 1 },
      { user: 'joe', count: 1, refused: 0 },
    ]);
    expect(
      topHolders(
        [
          { user: 'a', resource: 'pods', count: 2 },
          { user: 'a', resource: 'pods', count: 1 },
          { user: 'b', resource: 'nodes', count: 9 },
        ],
        5,
      ),
    ).to.deep.equal([
      { user: 'b', count: 9, resources: 1 },
      { user: 'a', count: 3, resources: 1 },
    ]);
  });
});

describe('console/queues', () => {
  const metrics = (done: number): string =>
    `leader_election_master_status{name="m"} 1\nworkqueue_depth{name="job"} 2\nworkqueue_adds_total{name="job"} 7\nworkqueue_work_duration_seconds_sum{name="job"} 1\nworkqueue_work_duration_seconds_count{name="job"} ${done}\nrunning_managed_controllers{name="job-controller",manager="m"} 1\nrunning_managed_controllers{name="ttl-controller",manager="m"} 0\n`;

  it('tells who works, and when each queue was at work last', () => {
    const history = new QueueHistory();
    history.read(
      [
        { name: 'cm1', metrics: metrics(4) },
        { name: 'cm2', metrics: '' },
        { name: 'cm3', metrics: null },
      ],
      1_000,
    );
    expect(history.managers.map(({ name, state }) => `${name} ${state}`)).to.deep.equal(['cm1 works', 'cm2 standsBy', 'cm3 noAnswer']);
    expect(history.queues[0]).to.include({ name: 'job', depth: 2, adds: 7, meanSeconds: 0.25, lastAt: null });
    expect(history.loops).to.deep.equal(['job-controller']);
    history.read([{ name: 'cm1', metrics: metrics(5) }], 2_000);
    history.read([{ name: 'cm1', metrics: metrics(5) }], 3_000);
    expect(history.queues[0]?.lastAt).to.equal(2_000);
  });
});
