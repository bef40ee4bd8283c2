import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import { ClusterUnderTest } from './clusterUnderTest.js';

const secrets = '/api/v1/namespaces/default/secrets';
const words = 'the-treasure-is-under-the-oak';

function configuration(file: string, keys: readonly string[], plain = true): void {
  const secret = (name: string): string => Buffer.alloc(32, name).toString('base64');
  const providers = [{ aesgcm: { keys: keys.map((name) => ({ name, secret: secret(name) })) } }, ...(plain ? [{ identity: {} }] : [])];
  fs.writeFileSync(
    `${file}.new`,
    JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'EncryptionConfiguration',
      resources: [{ resources: ['secrets'], providers }],
    }),
  );
  fs.renameSync(`${file}.new`, file);
}

function filesWith(folder: string, text: string): string[] {
  return fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const file = path.join(folder, name);
    return fs.statSync(file).isFile() && fs.readFileSync(file).includes(text);
  });
}

/** Waits until an object is stored with another key: only its version changes. */
async function rewritten(cluster: ClusterUnderTest, name: string): Promise<void> {
  for (;;) {
    const before = await cluster.client.expect(200, 'GET', `${secrets}/${name}`);
    const after = await cluster.client.expect(200, 'PUT', `${secrets}/${name}`, { body: before });
    if (after.metadata.resourceVersion !== before.metadata.resourceVersion) return;
    await delay(100);
  }
}

describe('encryption at rest', function () {
  it('keeps secrets out of everything that is on disk, through rotation and restart, and tells of values without a key', async () => {
    const folder = temporaryDirectory('encryption');
    const file = path.join(folder, 'keys.json');
    const dataDirectory = temporaryDirectory('cluster');
    configuration(file, ['first']);
    const flags = ['--encryption-provider-config', file, '--encryption-provider-config-automatic-reload'];
    const cluster = await ClusterUnderTest.start({ dataDirectory, replicas: 3, managers: 0, apiserverFlags: flags });
    try {
      await cluster.client.expect(201, 'POST', secrets, { body: { metadata: { name: 'map' }, stringData: { where: words } } });
      await cluster.client.expect(201, 'POST', secrets, { body: { metadata: { name: 'left' }, stringData: { where: words } } });
      for (const member of cluster.members) {
        await cluster.caughtUp(member);
        const seen = await cluster.at(member).expect(200, 'GET', `${secrets}/map`);
        expect(seen.data?.['where']).to.equal(Buffer.from(words).toString('base64'));
      }
      for (const form of [words, Buffer.from(words).toString('base64')]) expect(filesWith(dataDirectory, form)).to.deep.equal([]);

      configuration(file, ['second', 'first']);
      await rewritten(cluster, 'map');
      configuration(file, ['second']);
      for (const member of cluster.members) {
        await member.process.kill('SIGTERM');
        await member.restart();
      }
      await cluster.client.expect(200, 'GET', `${secrets}/map`);
      const lost = await cluster.client.expect(500, 'GET', `${secrets}/left`);
      expect(lost.message).to.match(/left/);
      expect(JSON.stringify(lost)).to.not.include(words);
    } finally {
      await cluster.stop();
    }
  });

  it('does not start with a configuration that cannot be used', async () => {
    const file = path.join(temporaryDirectory('encryption'), 'keys.json');
    fs.writeFileSync(file, '{"apiVersion":"apiserver.config.k8s.io/v1","kind":"EncryptionConfiguration","resources":[]}');
    const failure = await ClusterUnderTest.start({ replicas: 1, managers: 0, apiserverFlags: ['--encryption-provider-config', file] }).then(
      async (cluster) => {
        await cluster.stop();
        return null;
      },
      (error: Error) => error,
    );
    expect(failure).to.be.instanceOf(Error);
  });
});
