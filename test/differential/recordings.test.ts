import assert from 'node:assert/strict';
import { ClusterUnderTest } from '../cluster/clusterUnderTest.js';
import { Connection } from '../golden/connection.js';
import { randomWord } from '../golden/player.js';
import { compare } from './compare.js';
import { play } from './play.js';
import { readRecordings, recordedAreas } from './recordings.js';

/** Cases mostly wait for answers. */
const casesAtOnce = 4;

describe('what another server and ours agreed upon', function () {
  this.timeout(900_000);
  let test: ClusterUnderTest;
  let connection: Connection;
  before(async () => {
    test = await ClusterUnderTest.start({ replicas: 1, managers: 0 });
    connection = new Connection({ address: test.cluster.address, ...test.cluster.pki.admin });
  });
  after(async () => {
    connection?.close();
    await test?.stop();
  });

  for (const area of recordedAreas())
    it(`is still so: ${area}`, async () => {
      const queue = [...readRecordings(area)];
      const differing: string[] = [];
      const worker = async (): Promise<void> => {
        for (let sequence = queue.shift(); sequence !== undefined; sequence = queue.shift()) {
          const recorded = sequence.steps.map(({ expect }) => expect ?? null);
          const played = await play(connection, sequence, { ns: `d-${randomWord()}`, r: randomWord() });
          differing.push(
            ...compare(sequence, recorded, played).map(({ request, at, want, got }) => JSON.stringify({ request, at, want, got })),
          );
        }
      };
      await Promise.all(Array.from({ length: casesAtOnce }, worker));
      assert.deepEqual(differing, []);
    });
});
