import { expect } from 'chai';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { haproxyConfiguration } from '../../../deploy/haproxy.js';
import { packageRoot } from '../../fixtures/packageRoot.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';
import { get, localServingCertificate, reservePort, TlsBackend } from '../../fixtures/tlsBackends.js';

const haproxy = ['haproxy', '/usr/sbin/haproxy'].find((program) => spawnSync(program, ['-v']).status === 0);

describe('deploy/haproxy', () => {
  it('is committed as a sample that is what would be generated', () => {
    const backends = ['r1', 'r2', 'r3'].map((name, i) => ({ name, address: `10.0.0.${i + 1}:6443` }));
    const sample = fs.readFileSync(path.join(packageRoot, 'deploy', 'haproxy.cfg'), 'utf8');
    expect(haproxyConfiguration({ listen: '*:6443', backends, caFile: '/etc/kubernetes/pki/ca.crt' })).to.equal(sample);
  });

  it('checks replicas over TLS, and moves connections away from one that dies or is not ready', async function () {
    if (!haproxy) this.skip();
    const directory = temporaryDirectory('haproxy with space');
    const { ca, pair } = await localServingCertificate();
    const caFile = path.join(directory, 'ca.crt');
    fs.writeFileSync(caFile, ca);
    const backends = await Promise.all(['a', 'b', 'c'].map((name) => TlsBackend.start(name, pair)));
    const port = await reservePort();
    const file = path.join(directory, 'haproxy.cfg');
    fs.writeFileSync(
      file,
      haproxyConfiguration({
        listen: `127.0.0.1:${port}`,
        backends: backends.map((backend) => ({ name: backend.name, address: `127.0.0.1:${backend.port}` })),
        caFile,
      }),
    );
    const checked = spawnSync(haproxy, ['-c', '-f', file], { encoding: 'utf8' });
    expect(checked.status, checked.stderr).to.equal(0);

    const running = spawn(haproxy, ['-db', '-f', file], { stdio: 'ignore' });
    const ended = new Promise((resolve) => running.once('exit', resolve));
    try {
      await answersBecome(port, ca, ['a', 'b', 'c']);
      await backends[0]?.die();
      (backends[1] as TlsBackend).ready = false;
      await answersBecome(port, ca, ['c']);
      await backends[0]?.listen();
      await answersBecome(port, ca, ['a', 'c']);
    } finally {
      running.kill('SIGKILL');
      await ended;
      for (const backend of backends) await backend.die();
    }
  });
});

/** Waits until six successive requests reach exactly these backends. */
async function answersBecome(port: number, ca: string, wanted: readonly string[]): Promise<void> {
  for (;;) {
    const answers = new Set<string>();
    for (let i = 0; i < 6; i++) answers.add(await get(port, ca));
    if (answers.size === wanted.length && wanted.every((name) => answers.has(name))) return;
    await delay(50);
  }
}
