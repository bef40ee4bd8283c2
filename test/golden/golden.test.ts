import { expect } from 'chai';
import { ClusterUnderTest, keepsInEtcd } from '../cluster/clusterUnderTest.js';
import { listScenarios } from './recordings.js';
import {
  bySurroundings,
  readExpectations,
  readFailingVariations,
  replay,
  replayVariations,
  variationCluster,
  type Replayed,
} from './replay.js';
import { passes, type VariationResult } from './variation.js';

/** These need a compaction at the first start, as the built-in store does; an etcd compacts on request. */
const presupposeCompaction: ReadonlySet<string> = new Set(['machinery/rv-list-compacted', 'machinery/watch-old-version']);

describe('golden', function () {
  this.timeout(900_000);
  let results: readonly Replayed[];

  before(async () => {
    const { areas, passing } = readExpectations();
    const names = [...new Set([...listScenarios(areas), ...passing])];
    // A replay mostly waits, so groups run concurrently.
    results = (
      await Promise.all(
        bySurroundings(names).map(async (surroundings) => {
          const { cluster } = surroundings;
          // Servers of one etcd do not know each other.
          const test = await ClusterUnderTest.start({ ...cluster, replicas: keepsInEtcd ? 1 : cluster.replicas });
          try {
            const server = { address: test.cluster.address, ...test.cluster.pki.admin };
            const first = await replay(surroundings.names, server);
            // Recorded times of controllers are those of an idle server: late scenarios run again alone.
            const late = first.filter(({ name, passed: inTime }) => !inTime && passing.includes(name)).map(({ name }) => name);
            const again = late.length === 0 ? [] : await replay(late, server);
            return [...first.filter(({ name }) => !late.includes(name)), ...again];
          } finally {
            await test.stop();
          }
        }),
      )
    ).flat();
    const passed = results.filter((result) => result.passed).length;
    process.stdout.write(`    ${passed} of ${results.length} scenarios pass\n`);
  });

  it('passes every scenario that is listed as passing', () => {
    const known = new Map(results.map((result) => [result.name, result]));
    const broken = readExpectations()
      .passing.filter((name) => !known.get(name)?.passed && !(keepsInEtcd && presupposeCompaction.has(name)))
      .map((name) => [name, ...(known.get(name)?.wrong ?? ['there is no such scenario'])].join('\n  '));
    expect(broken.join('\n'), 'no longer passing').to.equal('');
  });

  it('lists every scenario that passes: npm run golden -- --update', () => {
    const { areas, passing } = readExpectations();
    expect(
      results
        .filter(({ name, passed }) => areas.includes(name.split('/')[0] ?? '') && passed && !passing.includes(name))
        .map(({ name }) => name),
      'passing and not listed',
    ).to.deep.equal([]);
  });
});

describe('golden: variations', function () {
  this.timeout(900_000);
  let results: readonly VariationResult[];

  before(async function () {
    // They test rules for objects, which do not depend on the store.
    if (keepsInEtcd) return this.skip();
    const test = await ClusterUnderTest.start(variationCluster);
    try {
      results = await replayVariations({ address: test.cluster.address, ...test.cluster.pki.admin });
    } finally {
      await test.stop();
    }
    process.stdout.write(`    ${results.filter(passes).length} of ${results.length} variations pass\n`);
  });

  it('pass, but for those that are listed as failing', () => {
    const failing = new Set(readFailingVariations());
    const broken = results
      .filter((each) => !passes(each) && !failing.has(each.id))
      .map(({ id, verdict, want, got }) => `${id}\n  ${verdict}: want ${JSON.stringify(want)} got ${JSON.stringify(got)}`);
    expect(broken.join('\n'), 'no longer passing').to.equal('');
  });

  it('are listed as failing only while they fail: npm run golden -- variations --update', () => {
    const passing = new Set(results.filter(passes).map(({ id }) => id));
    expect(
      readFailingVariations().filter((id) => passing.has(id)),
      'passing and listed',
    ).to.deep.equal([]);
  });
});
