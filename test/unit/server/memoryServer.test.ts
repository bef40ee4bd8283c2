import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { readApiServerOptions } from '../../../server/options/read.js';
import { startServer, type RunningServer } from '../../../server/server.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';
import { call1, recordingLogger, type Answer, type Call } from '../../fixtures/frontDoor.js';
import { createIdentities, type Identity } from '../../fixtures/identities.js';

describe('a server with its objects in memory', function () {
  const folder = temporaryDirectory('memory-server');
  let admin: Identity;
  let server: RunningServer;

  const ask = (method: string, at: string, object?: object): Promise<Answer> =>
    call1(Number(new URL(server.url).port), {
      identity: admin,
      method,
      path: at,
      ...(object === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(object) }),
    } as Call);

  before(async () => {
    const identities = await createIdentities();
    const serving = await identities.issue({ name: 'server', usage: 'serverAuth' });
    admin = await identities.issue({ name: 'admin', groups: ['system:masters'] });
    const read = readApiServerOptions([
      '--bind-address=127.0.0.1',
      '--secure-port=0',
      '--storage-backend=memory',
      '--authorization-mode=RBAC',
      `--raft-data-dir=${path.join(folder, 'raft')}`,
      `--client-ca-file=${identities.caFile}`,
      `--tls-cert-file=${serving.certFile}`,
      `--tls-private-key-file=${serving.keyFile}`,
    ]);
    if (!read.ok) throw new Error(read.errors.join('\n'));
    server = await startServer(read.options, recordingLogger([]));
    await server.ready;
  });

  after(async () => {
    await server?.stop();
  });

  it('is a server like any other, and leaves nothing on disk', async () => {
    const at = '/api/v1/namespaces/default/configmaps';
    expect((await ask('GET', '/readyz')).status).to.equal(200);
    const made = await ask('POST', at, { metadata: { name: 'a' }, data: { n: '1' } });
    expect(made.status).to.equal(201);
    const { resourceVersion } = made.body['metadata'] as { readonly resourceVersion: string };
    const replaced = { metadata: { name: 'a', resourceVersion }, data: { n: '2' } };
    expect((await ask('PUT', `${at}/a`, replaced)).status).to.equal(200);
    expect((await ask('PUT', `${at}/a`, replaced)).status, 'of an older state').to.equal(409);
    const before = await ask('GET', `${at}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
    expect((before.body['items'] as { readonly data: unknown }[]).map(({ data }) => data)).to.deep.include({ n: '1' });
    expect((await ask('DELETE', `${at}/a`)).status).to.equal(200);
    expect((await ask('GET', `${at}/a`)).status).to.equal(404);
    expect(fs.existsSync(path.join(folder, 'raft'))).to.equal(false);
  });
});
