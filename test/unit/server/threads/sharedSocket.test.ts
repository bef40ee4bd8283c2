import { expect } from 'chai';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { readApiServerOptions } from '../../../../server/options/read.js';
import { startServer, type RunningServer } from '../../../../server/server.js';
import { closeOnAll, occupy } from '../../../../server/threads/sharedSocket.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';
import { call1, recordingLogger } from '../../../fixtures/frontDoor.js';
import { createIdentities, type Identity } from '../../../fixtures/identities.js';

describe('threads/sharedSocket', function () {
  this.timeout(120_000);

  it('tells whether a file of its own has a number', () => {
    const [one, other] = [fs.openSync(os.devNull, 'r'), fs.openSync(os.devNull, 'r')];
    expect(occupy(one)).to.equal(false);
    fs.closeSync(one);
    expect(occupy(one)).to.equal(true);
    expect(occupy(one)).to.equal(false);
    fs.closeSync(one);
    fs.closeSync(other);
  });

  it('closes on each, and on nobody whose number stands for another file', async () => {
    const number = fs.openSync(os.devNull, 'r');
    const done: string[] = [];
    const holder =
      (name: string, then: () => void = () => undefined) =>
      (): undefined => {
        fs.closeSync(number);
        done.push(name);
        then();
      };
    expect(await closeOnAll(number, [holder('a'), holder('b'), holder('c')])).to.equal(3);
    expect(done).to.deep.equal(['a', 'b', 'c']);
    const again = fs.openSync(os.devNull, 'r');
    expect(again).to.equal(number);
    let stranger = 0;
    const closed = await closeOnAll(number, [
      holder('d'),
      holder('e', () => {
        stranger = fs.openSync(os.devNull, 'r');
      }),
      holder('f'),
    ]);
    expect([closed, done.at(-1), stranger]).to.deep.equal([2, 'e', number]);
    fs.closeSync(stranger);
  });

  describe('of a server that is embedded and serves on three threads', () => {
    let admin: Identity;
    let args: string[];
    const folder = temporaryDirectory('embedded');

    before(async () => {
      const identities = await createIdentities();
      const serving = await identities.issue({ name: 'server', usage: 'serverAuth' });
      admin = await identities.issue({ name: 'admin', groups: ['system:masters'] });
      args = [
        '--bind-address=127.0.0.1',
        '--authorization-mode=RBAC',
        '--serving-threads=3',
        `--raft-data-dir=${path.join(folder, 'raft')}`,
        `--client-ca-file=${identities.caFile}`,
        `--tls-cert-file=${serving.certFile}`,
        `--tls-private-key-file=${serving.keyFile}`,
      ];
    });

    async function start(port: number): Promise<RunningServer> {
      const read = readApiServerOptions([...args, `--secure-port=${port}`]);
      if (!read.ok) throw new Error(read.errors.join('\n'));
      const server = await startServer(read.options, recordingLogger([]));
      await server.ready;
      return server;
    }

    it('is closed when the server has stopped, and the port free for the next', async () => {
      let port = 0;
      for (let round = 0; round < 3; round++) {
        const server = await start(port);
        port = Number(new URL(server.url).port);
        for (let connection = 0; connection < 6; connection++)
          expect((await call1(port, { identity: admin, path: '/readyz' })).status).to.equal(200);
        await server.stop();
        const socket = net.connect(port, '127.0.0.1');
        const [refusal] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
        expect(refusal.code).to.equal('ECONNREFUSED');
      }
    });
  });
});
