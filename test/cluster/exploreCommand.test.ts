import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
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

  const run = (
    bug: string,
    ...options: readonly string[]
  ): { readonly status: number | null; readonly stdout: string; readonly said: string } => {
    const command = [path.join(packageRoot, 'dist', 'programs', 'raftplane.js'), 'explore', '--crds', path.join(example, 'sites.yaml')];
    const operator = ['--', process.execPath, path.join(example, 'operator.mjs')];
    const args = [...command, '--scenario', scenario, '--rest', '500ms', ...options, ...operator];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, BUG: bug },
    });
    return { status, stdout, said: `${stdout}\n${stderr}` };
  };

  it('shows the plan of a file again, tells how, and fails', () => {
    const plan = path.join(folder, 'plan.json');
    writePlan(plan, { kind: 'crash', at: { call: 'create configmaps default/blog-content', nth: 1 }, when: 'after' });
    const { status, stdout, said } = run('lost', '--replay', plan, '--patience', '2s');
    expect(status, said).to.equal(1);
    expect(stdout).to.contain('Secret default/blog-token is missing').and.contain(`again: raftplane explore --replay ${plan}`);
  });

  it('begins no plan after its budget, and ends well without a finding', () => {
    const { status, stdout, said } = run('', '--budget', '0s', '--json');
    expect(status, said).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.include({ findings: [], run: 0 });
  });
});
