import { expect } from 'chai';
import { ClusterUnderTest } from '../cluster/clusterUnderTest.js';
import { bySurroundings, goldenFolder, listScenarios, readExpectations, replay, type Replayed } from './scenarios.js';

describe('golden', function () {
  this.timeout(900_000);
  let results: readonly Replayed[];

  before(async function () {
    if (goldenFolder === null) this.skip();
    const { areas, passing } = readExpectations();
    const names = [...new Set([...listScenarios(goldenFolder, areas), ...passing])];
    const folder = goldenFolder;
    // Most of a replay is waiting, so the groups share the machine.
    results = (await Promise.all(bySurroundings(folder, names).map(async surroundings => {
      const test = await ClusterUnderTest.start(surroundings.cluster);
      try {
        const server = { address: test.cluster.address, ...test.cluster.pki.admin };
        const first = await replay(folder, surroundings.names, server);
        // The recordings say how long controllers may take, on a server with nothing else to do: what came too late among all others is tried again by itself.
        const late = first.filter(({ name, passed: inTime }) => !inTime && passing.includes(name)).map(({ name }) => name);
        const again = late.length === 0 ? [] : await replay(folder, late, server);
        return [...first.filter(({ name }) => !late.includes(name)), ...again];
      } finally {
        await test.stop();
      }
    }))).flat();
    const passed = results.filter(result => result.passed).length;
    process.stdout.write(`    ${passed} of ${results.length} scenarios pass\n`);
  });

  it('passes every scenario that is listed as passing', () => {
    const known = new Map(results.map(result => [result.name, result]));
    const broken = readExpectations().passing.filter(name => !known.get(name)?.passed).map(name => [name, ...(known.get(name)?.wrong ?? ['there is no such scenario'])].join('\n  '));
    expect(broken.join('\n'), 'no longer passing').to.equal('');
  });

  it('lists every scenario that passes: npm run golden -- --update', () => {
    const { areas, passing } = readExpectations();
    expect(results.filter(({ name, passed }) => areas.includes(name.split('/')[0] ?? '') && passed && !passing.includes(name)).map(({ name }) => name), 'passing and not listed').to.deep.equal([]);
  });
});
