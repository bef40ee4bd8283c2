import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiObject } from '../fixtures/apiClient.js';
import { ClusterUnderTest } from './clusterUnderTest.js';
import { Counter, counterName, ownMember, writeWays, type Problems } from './counters.js';

const clientsOfAWay = 2;
const incrementsBetweenFaults = 60;
const pollMs = 20;

describe('cluster/concurrency', function () {
  this.timeout(180_000);
  let test: ClusterUnderTest;
  before(async () => {
    test = await ClusterUnderTest.start();
  });
  after(() => test?.stop());

  it('never loses an increment, whoever counts how through which replica, while leaders are killed', async () => {
    const path = await test.namespace('counting');
    await test.client.expect(201, 'POST', path, { body: { metadata: { name: counterName }, data: { count: '0' } } });
    const problems: Problems = [];
    const replicas = test.members.map((member) => test.at(member));
    const ways = Object.keys(writeWays);
    const counters = Array.from(
      { length: ways.length * clientsOfAWay },
      (_, id) => new Counter(id, ways[id % ways.length] as string, replicas, path, problems),
    );
    const acknowledged = (): number[] => counters.flatMap((counter) => counter.acknowledged);
    const more = async (): Promise<void> => {
      const goal = acknowledged().length + incrementsBetweenFaults;
      while (acknowledged().length < goal) await delay(pollMs);
    };

    await more();
    for (let fault = 0; fault < 2; fault++) {
      const leader = await test.leader();
      await test.kill(leader);
      await more();
      await leader.restart();
      await more();
    }
    await Promise.all(counters.map((counter) => counter.stop()));

    const all = acknowledged();
    const unknown = counters.reduce((sum, counter) => sum + counter.unknown, 0);
    process.stdout.write(
      `      ${all.length} increments acknowledged, ${unknown} of unknown outcome, ${counters.reduce((sum, counter) => sum + counter.refusals, 0)} refused\n`,
    );
    expect(problems).to.deep.equal([]);
    expect(new Set(all).size, 'two clients got the same number').to.equal(all.length);
    for (const member of test.members) {
      await test.caughtUp(member);
      const { data = {} } = (await test.at(member).expect(200, 'GET', `${path}/${counterName}`)) as ApiObject;
      const own = counters.map(({ id }) => Number(data[ownMember(id)] ?? 0));
      expect(
        own.reduce((sum, each) => sum + each, 0),
        'increments of all clients together',
      ).to.equal(Number(data['count']));
      // All acknowledged writes are there, and at most all of unknown outcome.
      counters.forEach((counter, index) => {
        expect(own[index], `client ${index}`).to.be.within(counter.acknowledged.length, counter.acknowledged.length + counter.unknown);
      });
    }
    for (const way of ways)
      expect(
        counters.filter((counter) => counter.way === way).flatMap((counter) => counter.acknowledged),
        way,
      ).to.not.be.empty;
  });
});
