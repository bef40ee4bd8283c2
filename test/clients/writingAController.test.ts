import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ClusterUnderTest } from '../cluster/clusterUnderTest.js';
import { packageRoot } from '../fixtures/packageRoot.js';

/** The example of the documentation, as it stands there. */
function example(): string {
  const [, code = ''] =
    /```js\n([\s\S]*?)```/.exec(fs.readFileSync(path.join(packageRoot, 'docs', 'writing-a-controller.md'), 'utf8')) ?? [];
  return code;
}

const ownModule = 'raftplane/client';
const pollMs = 20;

describe('docs/writing-a-controller', () => {
  it('is short', () => {
    const lines = example()
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.startsWith('//'));
    expect(lines.length).to.be.within(20, 40);
    expect(example()).to.contain(ownModule);
  });

  it('works as it is written', async () => {
    const cluster = await ClusterUnderTest.start({ replicas: 1 });
    const program = path.join(cluster.cluster.dataDirectory, 'team-labels.mjs');
    fs.writeFileSync(program, example().replace(ownModule, new URL('../../controllers/client/index.js', import.meta.url).href));
    const child = spawn(process.execPath, [program], {
      env: { ...process.env, KUBECONFIG: cluster.cluster.kubeconfig },
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    let complaints = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints += text;
    });
    try {
      const { client } = cluster;
      const nameOf = async (): Promise<unknown> => {
        const { status, body } = await client.request('GET', '/api/v1/namespaces/blue-room/configmaps/team');
        return status === 200 ? (body as { data?: Record<string, string> }).data?.['name'] : null;
      };
      const label = (team: string | null): Promise<unknown> =>
        client.expect(200, 'PATCH', '/api/v1/namespaces/blue-room', {
          body: { metadata: { labels: { team } } },
          type: 'application/merge-patch+json',
        });
      const becomes = async (wanted: unknown): Promise<void> => {
        while ((await nameOf()) !== wanted) await delay(pollMs);
      };
      await client.expect(201, 'POST', '/api/v1/namespaces', { body: { metadata: { name: 'blue-room', labels: { team: 'blue' } } } });
      await becomes('blue');
      await label('green');
      await becomes('green');
      await client.expect(200, 'DELETE', '/api/v1/namespaces/blue-room/configmaps/team');
      await becomes('green');
      await label(null);
      await becomes(null);
      child.kill('SIGTERM');
      const [code] = (await once(child, 'exit')) as [number];
      expect([code, complaints]).to.deep.equal([0, '']);
      const events = await client.expect(200, 'GET', '/api/v1/namespaces/default/events');
      expect((events.items ?? []).map((item) => (item as unknown as { reason: string }).reason)).to.include('TeamNamed');
    } finally {
      child.kill('SIGKILL');
      await cluster.stop();
    }
  });
});
