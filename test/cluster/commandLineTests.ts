import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import type { ClusterMember } from '../../deploy/cluster.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import { ClusterUnderTest } from './clusterUnderTest.js';

/** Kills a hung program just before the test's limit. */
const timeLimitMs = 170_000;

/** Tests of `apiserver` in any form. `words` start it, and are evaluated in each test. */
export function commandLineTests(words: () => readonly [file: string, ...args: string[]]): void {
  let test: ClusterUnderTest;
  let member: ClusterMember;
  before(async () => {
    test = await ClusterUnderTest.start({ replicas: 1 });
    member = test.members[0] as ClusterMember;
  });
  afterEach(async () => {
    expect((await test.at(member).request('GET', '/readyz')).status).to.equal(200);
  });
  after(() => test?.stop());

  /** The arguments of a running replica with replacements; undefined removes one. */
  function withFlags(changes: Record<string, string | undefined>, extra: readonly string[] = []): string[] {
    const directory = temporaryDirectory('apiserver');
    const alone = {
      'raft-data-dir': path.join(directory, 'data'),
      'raft-initial-cluster': `${member.id}=127.0.0.1:1`,
      'raft-listen-address': '127.0.0.1:0',
      'secure-port': '0',
      ...changes,
    };
    const kept = member.process.spec.args.filter((argument) => !Object.keys(alone).some((flag) => argument.startsWith(`--${flag}=`)));
    return [
      ...kept,
      ...Object.entries(alone)
        .filter(([, value]) => value !== undefined)
        .map(([flag, value]) => `--${flag}=${value}`),
      ...extra,
    ];
  }

  it('names what it cannot use, and ends', async () => {
    const garbage = path.join(temporaryDirectory('pem'), 'garbage.crt');
    fs.writeFileSync(garbage, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    const { apiserver: serving, admin } = test.cluster.pki;
    const cases: readonly [what: string, args: readonly string[], names: RegExp][] = [
      ['a flag that does not exist', withFlags({}, ['--no-such-flag=1']), /no-such-flag/],
      ['a port that is no number', withFlags({ 'secure-port': 'https' }), /secure-port/],
      ['a certificate that is not there', withFlags({ 'tls-cert-file': '/nowhere/server.crt' }), /\/nowhere\/server\.crt/],
      ['a certificate that is garbage', withFlags({ 'tls-cert-file': garbage }), /garbage\.crt/],
      ['a key of another certificate', withFlags({ 'tls-cert-file': serving.certFile, 'tls-private-key-file': admin.keyFile }), /key/i],
      ['a peer certificate that is not there', withFlags({ 'raft-cert-file': '/nowhere/peer.crt' }), /\/nowhere\/peer\.crt/],
      ['a port in use', withFlags({ 'secure-port': new URL(member.address).port }), new RegExp(new URL(member.address).port)],
      ['a peer port in use', withFlags({ 'raft-listen-address': member.peerAddress }), new RegExp(member.peerAddress.split(':')[1] ?? '')],
      ['a data directory that is a file', withFlags({ 'raft-data-dir': garbage }), /garbage\.crt/],
      [
        'a data directory that another replica uses',
        withFlags({ 'raft-data-dir': member.dataDirectory }),
        new RegExp(member.dataDirectory),
      ],
      ['a member that the cluster does not have', withFlags({ 'raft-member-id': 'r9' }), /r9/],
    ];
    for (const [what, args, names] of cases) {
      const { status, output } = await runToEnd([...words(), ...args]);
      expect(status, `${what}: ${output}`).to.be.a('number').and.not.equal(0);
      expect(output, what).to.match(names);
    }
  });
}

async function runToEnd([file = '', ...args]: readonly string[]): Promise<{ status: number | null; output: string }> {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  const timer = setTimeout(() => child.kill('SIGKILL'), timeLimitMs);
  const [status] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  return { status, output };
}
