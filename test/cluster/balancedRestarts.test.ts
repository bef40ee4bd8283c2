import { expect } from 'chai';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { haproxyConfiguration } from '../../deploy/haproxy.js';
import { nginxConfiguration } from '../../deploy/nginx.js';
import { findFreePorts } from '../../deploy/ports.js';
import { BalancedWriters } from './balancedWriters.js';
import { ClusterUnderTest, keepsInEtcd } from './clusterUnderTest.js';

const writes = 10_000;
const stopGraceMs = 30_000;
const pollMs = 50;

interface Balancer {
  readonly program: string;
  readonly isThere: readonly string[];
  /** What the page recommends beside the sample. */
  readonly flags: readonly string[];
  readonly file: string;
  readonly settings: (port: number, test: ClusterUnderTest) => string;
  readonly args: (file: string) => readonly string[];
}

const addressOf = ({ address }: { readonly address: string }): string => new URL(address).host;

const balancers: readonly Balancer[] = [
  {
    program: 'haproxy',
    isThere: ['-v'],
    flags: ['--shutdown-delay-duration=3s'],
    file: 'haproxy.cfg',
    settings: (port, { members, cluster: { pki } }) => {
      const backends = members.map((member) => ({ name: member.id, address: addressOf(member) }));
      return haproxyConfiguration({ listen: `127.0.0.1:${port}`, backends, caFile: pki.caFile });
    },
    args: (file) => ['-db', '-f', file],
  },
  {
    program: 'nginx',
    isThere: ['-v'],
    // Several threads share a socket, which has to be closed on all of them before they end.
    flags: ['--serving-threads=2'],
    file: 'nginx.conf',
    settings: (port, { members }) => nginxConfiguration({ listen: `127.0.0.1:${port}`, backends: members.map(addressOf) }),
    args: (file) => ['-e', `${file}.log`, '-g', `daemon off; pid ${file}.pid;`, '-c', file],
  },
];

/** The samples in `deploy` in front of three replicas that are restarted one after the other, the leader among them, under clients of three kinds. */
describe('cluster/balancedRestarts', function () {
  for (const balancer of balancers)
    it(`no write fails through ${balancer.program} while the replicas are restarted`, async function () {
      if (keepsInEtcd || spawnSync(balancer.program, balancer.isThere).status !== 0) this.skip();
      this.timeout(600_000);
      const test = await ClusterUnderTest.start({ balancer: false, apiserverFlags: balancer.flags });
      const [port = 0] = await findFreePorts(1);
      const file = path.join(test.cluster.dataDirectory, balancer.file);
      fs.writeFileSync(file, balancer.settings(port, test));
      const running = spawn(balancer.program, balancer.args(file), { stdio: 'ignore' });
      try {
        await listens(port, running);
        await restartOneByOne(test, port);
      } finally {
        running.kill('SIGTERM');
        if (running.exitCode === null) await once(running, 'exit');
        await test.stop();
      }
    });
});

async function restartOneByOne(test: ClusterUnderTest, port: number): Promise<void> {
  const writers = new BalancedWriters(`https://127.0.0.1:${port}`, test.cluster.pki);
  const share = writes / (2 * test.members.length + 1);
  for (const [index, member] of test.members.entries()) {
    await writers.until((2 * index + 1) * share);
    expect(await member.process.stop(stopGraceMs), `${member.id} stops by itself`).to.equal(true);
    await writers.until((2 * index + 2) * share);
    await member.restart();
  }
  await writers.until(writes);
  await writers.stop();
  expect(writers.failures).to.deep.equal([]);
  expect(Math.min(...Object.values(writers.written)), 'each kind of client has written').to.be.greaterThan(0);
}

/** Until the balancer serves: HAProxy refuses connections before it has found a replica ready. */
async function listens(port: number, { exitCode }: ChildProcess): Promise<void> {
  for (;;) {
    expect(exitCode, 'the balancer has ended').to.equal(null);
    const socket = net.connect(port, '127.0.0.1');
    const event = await Promise.race([once(socket, 'connect').then(() => true), once(socket, 'close').then(() => false)]).catch(
      () => false,
    );
    socket.destroy();
    if (event) return;
    await delay(pollMs);
  }
}
