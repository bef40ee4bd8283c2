import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { programFile } from '../../deploy/programs.js';
import { KeyPlugin } from '../fixtures/keyPlugin.js';
import { OutsideSigner } from '../fixtures/outsideSigner.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import { call1, type Answer } from '../fixtures/frontDoor.js';
import { createIdentities, type Identity } from '../fixtures/identities.js';

/** Services on local sockets with the bundled program, which tests the bundled gRPC library. */
describe('services of the machine beside the built API server', function () {
  const keys = new KeyPlugin();
  const signer = new OutsideSigner();
  const folder = temporaryDirectory('local-services');
  let server: ChildProcess;
  let port: number;
  let admin: Identity;
  const send = (method: string, path: string, body?: object): Promise<Answer> =>
    call1(port, {
      method,
      path,
      identity: admin,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  before(async () => {
    await Promise.all([keys.start(), signer.start()]);
    const identities = await createIdentities();
    const serving = await identities.issue({ name: 'server', usage: 'serverAuth' });
    admin = await identities.issue({ name: 'admin', groups: ['system:masters'] });
    const encryption = join(folder, 'encryption.json');
    const kms = { kms: { apiVersion: 'v2', name: 'keys', endpoint: keys.endpoint } };
    writeFileSync(
      encryption,
      JSON.stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'EncryptionConfiguration',
        resources: [{ resources: ['secrets'], providers: [kms] }],
      }),
    );
    server = spawn(
      process.execPath,
      [
        programFile('apiserver'),
        '--bind-address=127.0.0.1',
        '--secure-port=0',
        '--authorization-mode=RBAC',
        `--raft-data-dir=${join(folder, 'data')}`,
        `--client-ca-file=${identities.caFile}`,
        `--tls-cert-file=${serving.certFile}`,
        `--tls-private-key-file=${serving.keyFile}`,
        '--service-account-issuer=https://cluster.test',
        `--service-account-signing-endpoint=${signer.socket}`,
        `--encryption-provider-config=${encryption}`,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    port = await readyPort(server);
  });
  after(async () => {
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
    keys.stop();
    signer.stop();
  });

  it('encrypt what is stored', async () => {
    const made = await send('POST', '/api/v1/namespaces/default/secrets', {
      metadata: { name: 'map' },
      stringData: { where: 'under-the-old-oak' },
    });
    expect(made.status, made.text).to.equal(201);
    expect((await send('GET', '/api/v1/namespaces/default/secrets/map')).body['data']).to.deep.equal({
      where: Buffer.from('under-the-old-oak').toString('base64'),
    });
    expect(keys.calls['Encrypt']).to.be.greaterThan(0);
    const files = readdirSync(join(folder, 'data'), { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, 'data', name))
      .filter((file) => statSync(file).isFile());
    expect(files.filter((file) => readFileSync(file).includes('under-the-old-oak'))).to.deep.equal([]);
    expect((await send('GET', '/readyz/kms-providers')).status).to.equal(200);
  });

  it('sign tokens of service accounts', async () => {
    await send('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
    const answer = await send('POST', '/api/v1/namespaces/default/serviceaccounts/robot/token', { spec: {} });
    expect(answer.status, answer.text).to.equal(201);
    expect(signer.calls['Sign']).to.equal(1);
  });
});

async function readyPort(server: ChildProcess): Promise<number> {
  const lines: string[] = [];
  let port = 0;
  for await (const line of createInterface({ input: server.stderr! })) {
    lines.push(line);
    port = Number(/https:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1] ?? port);
    if (port > 0 && / ready$/.test(line)) return port;
  }
  throw new Error(`the server ended:\n${lines.slice(-5).join('\n')}`);
}
