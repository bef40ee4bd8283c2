import { expect } from 'chai';
import fs from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { ClusterUnderTest } from './clusterUnderTest.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';

interface Event {
  readonly stage: string;
  readonly level: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly objectRef?: { readonly resource: string; readonly name?: string };
  readonly responseStatus?: { readonly code: number };
  readonly responseObject?: object;
}

function policyFile(folder: string): string {
  const file = path.join(folder, 'policy.json');
  const rules = [
    { level: 'None', nonResourceURLs: ['/readyz*', '/livez*', '/healthz*', '/raft/*', '/metrics'] },
    { level: 'Metadata', resources: [{ group: '', resources: ['secrets'] }] },
    { level: 'RequestResponse', verbs: ['create', 'delete'], resources: [{ group: '', resources: ['configmaps'] }] },
    { level: 'Metadata', omitStages: ['RequestReceived'] },
  ];
  fs.writeFileSync(file, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }));
  return file;
}

const secrets = '/api/v1/namespaces/default/secrets';
const configMaps = '/api/v1/namespaces/default/configmaps';

const fetchAs = (address: string, target: string, authorization: string): Promise<number> =>
  new Promise((resolve, reject) => {
    https
      .get(`${address}${target}`, { headers: { authorization }, agent: false, rejectUnauthorized: false }, (answer) => {
        answer.resume().once('end', () => {
          resolve(answer.statusCode ?? 0);
        });
      })
      .once('error', reject);
  });

describe('audit log', function () {
  it('has each request as far as its rule goes, before the client has the answer', async () => {
    const folder = temporaryDirectory('audit');
    const log = path.join(folder, 'audit.log');
    const cluster = await ClusterUnderTest.start({
      replicas: 1,
      managers: 0,
      apiserverFlags: ['--audit-policy-file', policyFile(folder), '--audit-log-path', log],
    });
    const events = (): Event[] =>
      fs
        .readFileSync(log, 'utf8')
        .trimEnd()
        .split('\n')
        .filter((line) => line.includes('/default/'))
        .map((line) => JSON.parse(line) as Event);
    try {
      await cluster.client.expect(201, 'POST', secrets, { body: { metadata: { name: 'till' }, stringData: { pin: 'very-secret-pin' } } });
      expect(events().map(({ stage, level, verb, responseStatus }) => [stage, level, verb, responseStatus?.code])).to.deep.equal([
        ['RequestReceived', 'Metadata', 'create', undefined],
        ['ResponseComplete', 'Metadata', 'create', 201],
      ]);
      await cluster.client.expect(201, 'POST', configMaps, { body: { metadata: { name: 'a' }, data: { k: 'v' } } });
      expect(events().at(-1)).to.deep.include({ stage: 'ResponseComplete', level: 'RequestResponse' });
      expect(events().at(-1)?.responseObject).to.deep.include({ kind: 'ConfigMap', data: { k: 'v' } });
      await cluster.client.expect(404, 'GET', `${configMaps}/none`);
      expect(events().at(-1)).to.deep.include({ stage: 'ResponseComplete', level: 'Metadata', verb: 'get' });
      expect(events().at(-1)?.responseStatus?.code).to.equal(404);
      await cluster.client.expect(200, 'GET', `${secrets}/till`);
      const stranger = await fetchAs(cluster.members[0]!.address, `${configMaps}/none`, 'Bearer of-nobody');
      expect(stranger).to.equal(401);
      expect(events().at(-1)).to.deep.include({
        stage: 'ResponseStarted',
        level: 'Metadata',
        verb: 'get',
        responseStatus: { metadata: {}, message: 'Authentication failed, attempted: bearer', code: 401 },
      });
      const text = fs.readFileSync(log, 'utf8');
      for (const form of ['very-secret-pin', Buffer.from('very-secret-pin').toString('base64')])
        expect(text.includes(form)).to.equal(false);
    } finally {
      await cluster.stop();
    }
  });

  it('refuses requests that it cannot write down, when it must not miss any', async function () {
    if (!fs.existsSync('/dev/full')) this.skip();
    const folder = temporaryDirectory('audit');
    const flags = ['--audit-policy-file', policyFile(folder), '--audit-log-path', '/dev/full', '--audit-log-mode', 'blocking-strict'];
    const cluster = await ClusterUnderTest.start({ replicas: 1, managers: 0, apiserverFlags: flags });
    try {
      const answer = await cluster.client.expect(500, 'POST', secrets, { body: { metadata: { name: 'till' } } });
      expect(answer['message']).to.match(/failed to store audit event/);
      // Reads omit the refused stage: this one is answered and owes an event. Later requests are refused.
      await cluster.client.request('GET', `${configMaps}/none`);
      expect((await cluster.client.expect(500, 'GET', `${secrets}/till`))['message']).to.match(/failed to store audit event/);
      expect((await cluster.client.expect(500, 'GET', `${configMaps}/none`))['message']).to.match(/failed to store audit event/);
    } finally {
      await cluster.stop();
    }
  });
});
