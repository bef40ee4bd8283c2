import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readApiServerOptions } from '../../../server/options/read.js';
import { startServer, type RunningServer } from '../../../server/server.js';
import { call1, recordingLogger } from '../../fixtures/frontDoor.js';
import { createIdentities, type Identity } from '../../fixtures/identities.js';
import { packageRoot } from '../../fixtures/packageRoot.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';

const folder = path.join(packageRoot, 'test', 'fixtures', 'upgrades');

/** Each folder is a server's data directory of that commit, with its answers. Recorded folders never change. */
describe('data directories of earlier servers', () => {
  for (const commit of fs.readdirSync(folder)) {
    describe(commit, () => {
      const recorded = path.join(folder, commit);
      const answers = JSON.parse(fs.readFileSync(path.join(recorded, 'answers.json'), 'utf8')) as Readonly<Record<string, object>>;
      let server: RunningServer;
      let admin: Identity;

      before(async () => {
        const data = temporaryDirectory('upgrade');
        for (const file of fs.readdirSync(recorded).filter((name) => name.endsWith('.gz')))
          fs.writeFileSync(path.join(data, path.basename(file, '.gz')), gunzipSync(fs.readFileSync(path.join(recorded, file))));
        const identities = await createIdentities();
        const pair = await identities.issue({ name: 'server', usage: 'serverAuth' });
        admin = await identities.issue({ name: 'admin', groups: ['system:masters'] });
        const read = readApiServerOptions([
          '--bind-address=127.0.0.1',
          '--secure-port=0',
          `--raft-data-dir=${data}`,
          `--client-ca-file=${identities.caFile}`,
          `--tls-cert-file=${pair.certFile}`,
          `--tls-private-key-file=${pair.keyFile}`,
          '--authorization-mode=RBAC',
        ]);
        if (!read.ok) throw new Error(read.errors.join('\n'));
        server = await startServer(read.options, recordingLogger([]));
        await server.ready;
      });
      after(() => server?.stop());

      for (const [at, answer] of Object.entries(answers))
        it(`${at} is answered alike`, async () => {
          const { text } = await call1(Number(new URL(server.url).port), { path: at, identity: admin });
          expect(JSON.parse(text)).to.deep.equal(answer);
        });
    });
  }
});
