import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const programs = {
  apiserver: fileURLToPath(new URL('../../../server/main.js', import.meta.url)),
  'controller-manager': fileURLToPath(new URL('../../../controllers/main.js', import.meta.url)),
};

function run(program: keyof typeof programs, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [programs[program], ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('the programs', function () {
  this.timeout(60_000);
  for (const program of ['apiserver', 'controller-manager'] as const) {
    it(`${program} prints its options, and marks those without effect`, () => {
      const { status, stdout, stderr } = run(program, '--help');
      expect([status, stderr]).to.deep.equal([0, '']);
      expect(stdout).to.match(/Usage:\n {2}\S+ \[flags\]/).and.match(/Examples:/).and.match(/\(accepted; no effect yet\)/).and.match(/Secure serving:/);
    });
    it(`${program} prints its version, for people and with everything`, () => {
      expect(run(program, '--version').stdout).to.match(/^Kubernetes v1\.36\.\d+\n$/);
      expect(JSON.parse(run(program, '--version=raw').stdout)).to.deep.include({ major: '1', minor: '36' });
    });
    it(`${program} refuses a wrong command line with code 2 and starts nothing`, () => {
      const { status, stdout, stderr } = run(program, '--versoin', '--secure-port=x', 'words');
      expect([status, stdout]).to.deep.equal([2, '']);
      expect(stderr).to.include('unknown flag --versoin: did you mean --version?').and.include('invalid value "x" for --secure-port').and.include('unexpected argument "words"');
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
    expect(stderr).to.match(/error cannot start reason="cannot read the certificate \/nowhere\/a\.crt: ENOENT/);
    expect(stderr.match(/ENOENT/g)).to.have.length(1);
  });
});
