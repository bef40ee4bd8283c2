import { expect } from 'chai';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { writePlan } from '../../deploy/testing/index.js';
import { packageRoot } from '../fixtures/packageRoot.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';

const example = path.join(packageRoot, 'examples', 'explore');

describe('cluster/exploreCommand', function () {
  this.timeout(300_000);
  const folder = temporaryDirectory('explore-command');
  const scenario = path.join(folder, 'scenario');
  before(() => {
    fs.mkdirSync(scenario);
    fs.copyFileSync(path.join(example, 'scenario', '10-create.yaml'), path.join(scenario, '10-create.yaml'));
  });

  const argsOf = (...options: readonly string[]): readonly string[] => {
    const command = [path.join(packageRoot, 'dist', 'programs', 'raftplane.js'), 'explore', '--crds', path.join(example, 'sites.yaml')];
    const operator = ['--', process.execPath, path.join(example, 'operator.mjs')];
    return [...command, '--scenario', scenario, '--rest', '500ms', ...options, ...operator];
  };
  const run = (
    bug: string,
    ...options: readonly string[]
  ): { readonly status: number | null; readonly stdout: string; readonly said: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, argsOf(...options), {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, BUG: bug },
    });
    return { status, stdout, said: `${stdout}\n${stderr}` };
  };

  it('shows the plan of a file again, tells how, and fails', () => {
    const plan = path.join(folder, 'plan.json');
    writePlan(plan, { kind: 'crash', at: { call: 'create configmaps default/blog-content', nth: 1 }, when: 'after' });
    const { status, stdout, said } = run('lost', '--replay', plan, '--timeout', '2s');
    expect(status, said).to.equal(1);
    expect(stdout).to.contain('Secret default/blog-token is missing').and.contain(`again: raftplane explore --replay ${plan}`);
  });

  it('keeps what was found until Ctrl-C', async () => {
    const child = spawn(process.execPath, argsOf(), { cwd: folder, env: { ...process.env, BUG: 'leak' } });
    let [stdout, said] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('plans 1/')) child.kill('SIGINT');
    });
    const [status] = (await once(child, 'close')) as [number | null];
    expect(status, said).to.equal(1);
    expect(stdout).to.contain('something is left after deletion');
    const [, begun, planned] = /\d findings?; (\d+) of (\d+) plans/.exec(stdout) ?? [];
    expect(Number(begun), stdout).to.be.greaterThan(0).and.lessThan(Number(planned));
  });

  it('runs on clusters side by side, and writes a page and JUnit XML', () => {
    const plan = path.join(folder, 'plan.json');
    writePlan(plan, { kind: 'crash', at: { call: 'create configmaps default/blog-content', nth: 1 }, when: 'after' });
    const { status, said } = run(
      'lost',
      '--replay',
      plan,
      '--timeout',
      '2s',
      '--clusters',
      '2',
      '--html',
      'page.html',
      '--junit',
      'cases.xml',
    );
    expect(status, said).to.equal(1);
    const [page = '', cases = ''] = ['page.html', 'cases.xml'].map((file) => fs.readFileSync(path.join(folder, file), 'utf8'));
    expect(page).to.contain('Secret default/blog-token').and.contain('<tr class="note">');
    expect(cases).to.contain('failures="1"').and.contain('it does not arrive where it arrives undisturbed');
  });

  it('begins no plan after its budget, and ends well without a finding', () => {
    const { status, stdout, said } = run('', '--budget', '0s', '--json');
    expect(status, said).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.include({ findings: [], run: 0 });
  });
});
