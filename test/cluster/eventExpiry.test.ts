import { expect } from 'chai';
import { ClusterUnderTest } from './clusterUnderTest.js';

const events = '/api/v1/namespaces/default/events';

describe('events', function () {
  it('are gone some time after they were last written, also when the leader they were written under is gone', async () => {
    const cluster = await ClusterUnderTest.start({ replicas: 3, managers: 0, apiserverFlags: ['--event-ttl=2s'] });
    try {
      const leader = await cluster.leader();
      const another = cluster.members.find((member) => member !== leader)!;
      const seen = cluster.at(another).watch(`${events}?watch=1`);
      const involvedObject = { kind: 'Pod', namespace: 'default', name: 'p' };
      const made = await cluster.client.expect(201, 'POST', events, {
        body: { metadata: { name: 'e' }, involvedObject, reason: 'R', message: 'm', type: 'Normal' },
      });
      await leader.process.kill('SIGKILL');
      await seen.until((all) => all.some(({ type }) => type === 'DELETED'));
      const gone = seen.events.find(({ type }) => type === 'DELETED')!;
      expect(gone.object.metadata.uid).to.equal(made.metadata.uid);
      await cluster.at(another).expect(404, 'GET', `${events}/e`);
      seen.close();
    } finally {
      await cluster.stop();
    }
  });
});
