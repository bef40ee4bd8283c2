import { expect } from 'chai';
import { categories, categoryOf } from '../../../console/model/categories.js';
import { failedChecks, kindSummaryOf } from '../../../console/model/overview.js';
import { hashOf, objectsPlaceIn } from '../../../console/model/place.js';
import { found, type Found } from '../../../console/model/search.js';
import { summaryOf } from '../../../console/model/summary.js';
import { createCatalogue } from '../../../server/kinds/index.js';

describe('console/model/overview', () => {
  const page = (columns: readonly string[], rows: readonly (readonly unknown[])[]): Parameters<typeof kindSummaryOf>[0] => ({
    columnDefinitions: columns.map((name) => ({ name })),
    rows: rows.map((cells) => ({ cells, object: { metadata: { name: String(cells[0]), namespace: 'n' } } })),
  });
  const statesOf = (...of: Parameters<typeof page>): readonly string[] =>
    kindSummaryOf(page(...of)).unwell.map(({ name, state }) => `${name}: ${state}`);

  it('tells pods that fail or are not ready from those that run or are over', () => {
    expect(
      statesOf(
        ['Name', 'Ready', 'Status', 'Restarts'],
        [
          ['runs', '2/2', 'Running', 0],
          ['half', '1/2', 'Running', 3],
          ['crashes', '0/1', 'CrashLoopBackOff', 7],
          ['absent', '0/1', 'ErrImagePull', 0],
          ['over', '0/1', 'Completed', 0],
          ['goes', '0/1', 'Terminating', 0],
          ['waits', '0/1', 'Pending', 0],
        ],
      ),
    ).to.deep.equal(['half: 1 of 2 ready', 'crashes: CrashLoopBackOff', 'absent: ErrImagePull', 'waits: Pending, 0 of 1 ready']);
  });
  it('reads the tables of other kinds by the columns that they have', () => {
    expect(
      statesOf(
        ['Name', 'Status', 'Roles'],
        [
          ['a', 'Ready', ''],
          ['b', 'NotReady', ''],
        ],
      ),
    ).to.deep.equal(['b: NotReady']);
    expect(
      statesOf(
        ['Name', 'Ready'],
        [
          ['a', '3/3'],
          ['b', '0/3'],
        ],
      ),
    ).to.deep.equal(['b: 0 of 3 ready']);
    expect(
      statesOf(
        ['Name', 'Desired', 'Current', 'Ready'],
        [
          ['a', 3, 3, 3],
          ['b', 3, 3, 2],
          ['none', 0, 0, 0],
        ],
      ),
    ).to.deep.equal(['b: 2 of 3 ready']);
    expect(
      statesOf(
        ['Name', 'Status', 'Volume'],
        [
          ['a', 'Bound', 'v'],
          ['b', 'Lost', ''],
        ],
      ),
    ).to.deep.equal(['b: Lost']);
  });
  it('counts what it has not read, and says so', () => {
    const summary = kindSummaryOf({ ...page(['Name', 'Ready'], [['a', '1/1']]), metadata: { remainingItemCount: 41 } });
    expect(summary).to.deep.equal({ count: 42, isWhole: false, unwell: [] });
  });
  it('takes the failed checks from a verbose report', () => {
    expect(failedChecks('[+]ping ok\n[-]etcd failed: reason withheld\n[-]log failed\nreadyz check failed')).to.deep.equal(['etcd', 'log']);
  });
});

describe('console/model/place', () => {
  it('is what an address says, and back', () => {
    for (const place of [
      { group: '', resource: 'pods', namespace: '', name: '' },
      { group: 'apps', resource: 'deployments', namespace: 'team', name: 'web' },
      { group: '', resource: 'pods', namespace: '', name: 'web', within: 'team' },
      { group: 'rbac.authorization.k8s.io', resource: 'clusterroles', namespace: '', name: 'system:node & more?' },
    ])
      expect(objectsPlaceIn(hashOf(place).replace('#objects/', ''))).to.deep.equal(place);
    expect(objectsPlaceIn('')).to.deep.equal({ group: '', resource: 'pods', namespace: '', name: '' });
  });
});

describe('console/model/categories', () => {
  it('knows each resource that is served, and takes those of definitions for custom ones', () => {
    const served = createCatalogue({ serves: () => true }).groups.flatMap(({ versions }) => versions.flatMap(({ resources }) => resources));
    expect(served).to.have.length.greaterThan(60);
    expect(served.filter((each) => categoryOf(each) === 'custom')).to.deep.equal([]);
    expect(categoryOf({ group: 'cert-manager.io', resource: 'certificates' })).to.equal('custom');
    expect(categoryOf({ group: 'apps', resource: 'deployments' })).to.equal('workloads');
    expect(categories).to.include(categoryOf({ group: 'apps', resource: 'controllerrevisions' }));
  });
});

describe('console/model/search', () => {
  const of = (label: string, kind: string, namespace = ''): Found => ({ label, kind, namespace, hash: `#${label}` });
  const among = [
    of('my-web', 'Deployment', 'team'),
    of('web', 'Service', 'other'),
    of('website', 'Pod', 'team'),
    of('cobweb', 'Pod'),
    of('pods', 'Resource'),
  ];
  const labels = (text: string, max = 9): readonly string[] => found(among, text, max).map(({ label }) => label);

  it('puts the same name first, then its begin, then the begin of a part, then the rest', () => {
    expect(labels('web')).to.deep.equal(['web', 'website', 'my-web', 'cobweb']);
    expect(labels('WEB', 2)).to.deep.equal(['web', 'website']);
  });
  it('wants every word, in the name, the kind or the namespace', () => {
    expect(labels('web team')).to.deep.equal(['website', 'my-web']);
    expect(labels('team pod')).to.deep.equal(['website']);
    expect(labels('web (')).to.deep.equal([]);
  });
});

describe('console/model/summary', () => {
  it('is made of what kinds share: facts, images of any template, conditions with what is wrong', () => {
    const summary = summaryOf({
      metadata: { name: 'web' },
      spec: {
        replicas: 3,
        template: { spec: { initContainers: [{ image: 'init:1' }], containers: [{ image: 'app:1' }, { image: 'init:1' }, null] } },
      },
      status: {
        readyReplicas: 0,
        conditions: [
          { type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable', message: 'not enough' },
          { type: 'ReplicaFailure', status: 'True' },
          { type: 'Progressing', status: 'True' },
          { type: 'SomethingElse', status: 'False' },
          null,
        ],
      },
    });
    expect(summary.facts).to.deep.equal([
      ['Replicas', '3'],
      ['Ready', '0'],
    ]);
    expect(summary.images).to.deep.equal(['init:1', 'app:1']);
    expect(summary.conditions.map(({ type, wellness }) => `${type} ${wellness}`)).to.deep.equal([
      'Available unwell',
      'ReplicaFailure unwell',
      'Progressing well',
      'SomethingElse ',
      ' ',
    ]);
  });
  it('takes the conditions of a pod that is over for what they are', () => {
    const { conditions } = summaryOf({
      metadata: { name: 'job-1' },
      status: { conditions: [{ type: 'Ready', status: 'False', reason: 'PodCompleted' }] },
    });
    expect(conditions[0]?.wellness).to.equal('');
  });
});
