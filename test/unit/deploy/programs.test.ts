import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';
import { programFile } from '../../../deploy/programs.js';
import { createIdentities } from '../../fixtures/identities.js';

const programs = {
  apiserver: programFile('apiserver'),
  'controller-manager': programFile('controller-manager'),
};

function run(program: keyof typeof programs, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [programs[program], ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('the programs', function () {
  for (const program of ['apiserver', 'controller-manager'] as const) {
    it(`${program} prints its options`, () => {
      const { status, stdout, stderr } = run(program, '--help');
      expect([status, stderr]).to.deep.equal([0, '']);
      expect(stdout)
        .to.match(/Usage:\n {2}\S+ \[flags\]/)
        .and.match(/Examples:/)
        .and.match(/Secure serving:/);
    });
    it(`${program} prints its version, for people and with everything`, () => {
      expect(run(program, '--version').stdout).to.match(/^Kubernetes v1\.36\.\d+\n$/);
      expect(JSON.parse(run(program, '--version=raw').stdout)).to.deep.include({ major: '1', minor: '36' });
    });
    it(`${program} refuses a wrong command line with code 1 and starts nothing`, () => {
      const { status, stdout, stderr } = run(program, '--versoin', '--secure-port=x', 'words');
      expect([status, stdout]).to.deep.equal([1, '']);
      expect(stderr)
        .to.include('unknown flag: --versoin (did you mean --version?)')
        .and.include('invalid argument "x" for "--secure-port" flag')
        .and.include('unexpected argument "words"');
    });
  }
  it('controller-manager says what it needs to reach a server', () => {
    const { status, stderr } = run('controller-manager');
    expect(status).to.equal(1);
    expect(stderr).to.include('--kubeconfig');
  });
  it('apiserver names the file that it cannot use', () => {
    const { status, stderr } = run('apiserver', '--tls-cert-file=/nowhere/a.crt', '--tls-private-key-file=/nowhere/a.key');
    expect(status).to.equal(1);
    for (const [option, file] of [
      ['--tls-cert-file', '/nowhere/a.crt'],
      ['--tls-private-key-file', '/nowhere/a.key'],
    ])
      expect(stderr).to.contain(`Error: ${option}: ${file} cannot be read: ENOENT: `);
    expect(stderr.match(/ENOENT/g)).to.have.length(2);
  });
  it('apiserver does not let an authority of users vouch for proxies whose names nobody gave', async () => {
    const identities = await createIdentities();
    const { certFile, keyFile } = await identities.issue({ name: 'server', usage: 'serverAuth' });
    const authorities = [`--client-ca-file=${identities.caFile}`, `--requestheader-client-ca-file=${identities.caFile}`];
    const files = [
      `--tls-cert-file=${certFile}`,
      `--tls-private-key-file=${keyFile}`,
      `--raft-data-dir=${temporaryDirectory('overlap')}/data`,
      '--secure-port=0',
    ];
    const { status, stderr } = run('apiserver', ...files, ...authorities, '--requestheader-username-headers=X-Remote-User');
    expect(status).to.equal(1);
    expect(stderr).to.include('hold the same authority').and.include('--requestheader-allowed-names');
  });

  describe('end with a line that says why', () => {
    const folder = temporaryDirectory('programs');
    const kubeconfig = join(folder, 'kubeconfig');
    /** Unreferences timers, to show what else keeps a program alive. */
    const drowsy = `--import=data:text/javascript,${encodeURIComponent('const set = setInterval; globalThis.setInterval = (...all) => set(...all).unref();')}`;
    before(() => {
      const cluster = { name: 'c', cluster: { server: 'https://127.0.0.1:1' } };
      writeFileSync(
        kubeconfig,
        JSON.stringify({
          'current-context': 'x',
          contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
          clusters: [cluster],
          users: [{ name: 'u', user: {} }],
        }),
      );
    });
    const manager = [programs['controller-manager'], `--kubeconfig=${kubeconfig}`, '--secure-port=0'];

    /** Runs until a line matches, sends the signals in order, and returns status and last line. */
    async function ended(
      args: readonly string[],
      upTo: RegExp | null,
      signals: readonly NodeJS.Signals[],
    ): Promise<{ readonly status: number; readonly last: string }> {
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
      const exited = once(child, 'exit');
      const lines: string[] = [];
      for await (const line of createInterface({ input: child.stderr })) {
        lines.push(line);
        if (upTo?.test(line) === true) for (const signal of signals) child.kill(signal);
      }
      const [status] = (await exited) as [number];
      return { status, last: lines.at(-1) ?? '' };
    }

    it('controller-manager without a port waits for its server, and ends when it is asked to', async () => {
      const { status, last } = await ended([...manager, '--leader-elect-retry-period=50ms'], /leader election: .*ECONNREFUSED/, [
        'SIGTERM',
      ]);
      expect([status, last.slice(25)]).to.deep.equal([0, 'info  ended: it was asked to stop']);
    });
    it('controller-manager without controllers does nothing until it is asked to stop', async () => {
      const { status, last } = await ended([...manager, '--leader-elect=false', '--controllers=-*'], /nothing will be done/, ['SIGINT']);
      expect([status, last.slice(25)]).to.deep.equal([0, 'info  ended: it was asked to stop']);
    });
    it('controller-manager in which nothing is left to happen', async () => {
      const { status, last } = await ended([drowsy, ...manager], null, []);
      expect(status).to.not.equal(0);
      expect(last.slice(25)).to.equal('error ended: nothing was left to wait for, which is a defect');
    });
    it('controller-manager that cannot listen where it should', async () => {
      const { status, last } = await ended([...manager, '--secure-port=10257', '--bind-address=203.0.113.1'], null, []);
      expect(status).to.equal(1);
      expect(last).to.match(/error ended: cannot listen on 203\.0\.113\.1:10257: this machine has no such address/);
    });
    it('apiserver that is asked to stop twice does not wait any longer', async () => {
      const key = join(folder, 'signing.key');
      writeFileSync(
        key,
        generateKeyPairSync('rsa', {
          modulusLength: 2048,
          privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
          publicKeyEncoding: { type: 'spki', format: 'pem' },
        }).privateKey,
      );
      const args = [
        programs.apiserver,
        `--raft-data-dir=${join(folder, 'twice')}`,
        `--cert-dir=${join(folder, 'certs')}`,
        '--bind-address=127.0.0.1',
        '--secure-port=0',
        '--service-account-issuer=https://x',
        `--service-account-signing-key-file=${key}`,
        `--service-account-key-file=${key}`,
        '--shutdown-delay-duration=1h',
      ];
      const { status, last } = await ended(args, / (ready|stopping signal=SIGTERM)$/, ['SIGTERM']);
      expect(status).to.equal(1);
      expect(last).to.match(/error second signal, ending at once/);
    });
    it('apiserver that cannot use its files', async () => {
      writeFileSync(join(folder, 'sa.key'), 'no key');
      const args = [
        programs.apiserver,
        `--raft-data-dir=${join(folder, 'data')}`,
        `--cert-dir=${join(folder, 'certs')}`,
        '--secure-port=0',
        '--service-account-issuer=https://x',
        `--service-account-signing-key-file=${join(folder, 'sa.key')}`,
        `--service-account-key-file=${join(folder, 'sa.key')}`,
      ];
      const { status, last } = await ended(args, null, []);
      expect(status).to.equal(1);
      expect(last).to.match(/error cannot start reason=.*sa\.key/);
    });
  });
});
