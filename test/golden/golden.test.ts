import { expect } from 'chai';
import { ClusterUnderTest } from '../cluster/clusterUnderTest.js';
import { goldenFolder, listScenarios, readExpectations, replay, type Replayed } from './scenarios.js';

describe('golden', function () {
  this.timeout(300_000);
  let test: ClusterUnderTest;
  let results: readonly Replayed[];

  before(async function () {
    if (goldenFolder === null) this.skip();
    const { areas } = readExpectations();
    // A controller gives new namespaces their default account, without which pods are refused.
    test = await ClusterUnderTest.start({ managers: 1 });
    const { certFile, keyFile } = test.cluster.pki.admin;
    results = await replay(goldenFolder, listScenarios(goldenFolder, areas), { address: test.cluster.address, certFile, keyFile });
    const passed = results.filter(result => result.passed).length;
    process.stdout.write(`    ${passed} of ${results.length} scenarios pass\n`);
  });
  after(() => test?.stop());

  it('passes every scenario that is listed as passing', () => {
    const known = new Map(results.map(result => [result.name, result]));
    const broken = readExpectations().passing.filter(name => !known.get(name)?.passed).map(name => [name, ...(known.get(name)?.wrong ?? ['there is no such scenario'])].join('\n  '));
    expect(broken.join('\n'), 'no longer passing').to.equal('');
  });

  it('lists every scenario that passes: npm run golden -- --update', () => {
    const { passing } = readExpectations();
    expect(results.filter(({ name, passed }) => passed && !passing.includes(name)).map(({ name }) => name), 'passing and not listed').to.deep.equal([]);
  });
});
