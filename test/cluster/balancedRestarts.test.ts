import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { haproxyConfiguration } from '../../deploy/haproxy.js';
import { nginxConfiguration } from '../../deploy/nginx.js';
import { findFreePorts } from '../../deploy/ports.js';
import { BalancerProcess } from '../fixtures/balancerProcess.js';
import { BalancedWriters } from './balancedWriters.js';
import { ClusterUnderTest, keepsInEtcd } from './clusterUnderTest.js';

const writes = 10_000;
const stopGraceMs = 30_000;

interface Balancer {
  readonly program: string;
  readonly isThere: readonly string[];
  readonly flags: readonly string[];
  readonly file: string;
  readonly settings: (port: number, test: ClusterUnderTest) => string;
  readonly args: (file: string) => readonly string[];
  readonly checksReadiness: boolean;
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
    checksReadiness: true,
  },
  {
    program: 'nginx',
    isThere: ['-v'],
    // Threads share a socket, which must be closed on all of them before they end.
    flags: ['--serving-threads=2'],
    file: 'nginx.conf',
    settings: (port, { members }) => nginxConfiguration({ listen: `127.0.0.1:${port}`, backends: members.map(addressOf) }),
    args: (file) => ['-e', `${file}.log`, '-g', `daemon off; pid ${file}.pid;`, '-c', file],
    checksReadiness: false,
  },
];

/** The balancer samples in `deploy` with three replicas that restart in turn, under three kinds of clients. */
describe('cluster/balancedRestarts', function () {
  for (const balancer of balancers)
    it(`no write fails through ${balancer.program} while the replicas are restarted`, async function () {
      if (keepsInEtcd || spawnSync(balancer.program, balancer.isThere).status !== 0) this.skip();
      this.timeout(600_000);
      const test = await ClusterUnderTest.start({ balancer: false, apiserverFlags: balancer.flags });
      const [port = 0] = await findFreePorts(1);
      const file = path.join(test.cluster.dataDirectory, balancer.file);
      fs.writeFileSync(file, balancer.settings(port, test));
      let running: BalancerProcess | null = null;
      try {
        running = await BalancerProcess.start(balancer.program, balancer.args(file), port);
        await restartOneByOne(test, new BalancedWriters(`https://127.0.0.1:${port}`, test.cluster.pki, !balancer.checksReadiness));
      } finally {
        await running?.stop();
        await test.stop();
      }
    });
});

async function restartOneByOne(test: ClusterUnderTest, writers: BalancedWriters): Promise<void> {
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
