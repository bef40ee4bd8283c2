import { expect } from 'chai';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { kubectlRunsHere, program } from '../fixtures/kubectl.js';

/** A project with the package and a copy of its examples. Functions are called in tests. */
export interface Project {
  readonly folder: () => string;
  readonly environment: () => NodeJS.ProcessEnv;
}

/** A command of a `console` block, with its output in the page. */
interface Command {
  readonly text: string;
  readonly shown: readonly string[];
}

/** The fenced blocks of a packaged page by language. */
function blocksOf(
  { folder }: Project,
  page: string,
): { readonly js: readonly string[]; readonly console: readonly (readonly Command[])[] } {
  const text = fs.readFileSync(path.join(folder(), 'node_modules', 'raftplane', 'docs', page), 'utf8');
  const blocks = [...text.matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm)].map(([, language = '', code = '']) => ({ language, code }));
  expect(blocks.map(({ language }) => language).filter((language) => !['js', 'console'].includes(language))).to.deep.equal([]);
  const of = (wanted: string): string[] => blocks.filter(({ language }) => language === wanted).map(({ code }) => code);
  return { js: of('js'), console: of('console').map(commandsIn) };
}

const commandsIn = (block: string): Command[] =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [text = '', ...shown] = part.trim().split('\n');
      return { text, shown };
    });

const promisedBy = (code: string): string[] => [...code.matchAll(/console\.log\(.*; \/\/ (.+)$/gm)].map(([, printed = '']) => printed);

/** Runs every block of the pages for users of the package. */
export function documentTests(project: Project): void {
  describe('docs/testing-operators', () => testingOperators(project));
  describe('docs/writing-a-controller', () => writingAController(project));
}

function testingOperators(project: Project): void {
  it('shows programs that run as they stand, and print what they say', () => {
    const { js } = blocksOf(project, 'testing-operators.md');
    expect(js.length).to.be.greaterThan(2);
    for (const [index, code] of js.entries()) {
      const file = `document-${index}.mjs`;
      fs.writeFileSync(path.join(project.folder(), file), code);
      const { stdout, stderr } = spawnSync(process.execPath, [file], {
        cwd: project.folder(),
        encoding: 'utf8',
        env: project.environment(),
      });
      expect(stdout.trim().split('\n'), code + stderr).to.deep.equal(promisedBy(code));
      expect(promisedBy(code), code).not.to.deep.equal([]);
    }
  });

  it('shows commands that do what they say', async function () {
    if (spawnSync('curl', ['--version']).status !== 0) this.skip();
    const {
      console: [installed = [], faults = [], ...others],
    } = blocksOf(project, 'testing-operators.md');
    expect(installed.map(({ text }) => text)).to.deep.equal(['npm install --save-dev raftplane']);
    expect(others).to.deep.equal([]);
    const command = path.join(project.folder(), 'node_modules', '.bin', 'raftplane');
    const cluster = spawn(command, ['test-cluster', '--json', '--end-with-stdin'], {
      cwd: project.folder(),
      env: project.environment(),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface(cluster.stdout), 'line')) as [string];
    const { faults: door } = JSON.parse(line) as { readonly faults: { readonly url: string; readonly token: string } };
    for (const { text, shown } of faults) {
      const answered = spawnSync('bash', ['-c', text], {
        encoding: 'utf8',
        env: { ...project.environment(), URL: door.url, TOKEN: door.token },
      });
      expect(answered.stdout.trim().replace(/"r\d"/, '"r2"'), text + answered.stderr).to.equal(shown.join('\n'));
    }
    const ended = once(cluster, 'exit');
    cluster.stdin.end();
    expect(await ended).to.deep.equal([0, null]);
  });
}

function writingAController(project: Project): void {
  const environment = (): NodeJS.ProcessEnv => ({
    ...project.environment(),
    PATH: `${path.dirname(program('kubectl'))}:${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
  });
  const bash = (lines: readonly string[]): void => {
    const { status, stdout, stderr } = spawnSync(
      'bash',
      ['-c', ['set -e', "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT", ...lines].join('\n')],
      {
        cwd: project.folder(),
        encoding: 'utf8',
        env: environment(),
      },
    );
    expect(status, `${lines.join('\n')}\n${stdout}${stderr}`).to.equal(0);
  };
  const file = (name: string): string => path.join(project.folder(), name);

  it('shows a short program', function () {
    const [code = ''] = blocksOf(project, 'writing-a-controller.md').js;
    const lines = code.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('//'));
    expect(lines.length).to.be.within(20, 40);
  });

  it('shows programs and commands that do what they say', function () {
    if (!kubectlRunsHere) this.skip();
    this.timeout(180_000);
    const { js, console: consoles } = blocksOf(project, 'writing-a-controller.md');
    expect([js.length, consoles.length], 'each block is run below').to.deep.equal([2, 1]);
    const [alone = '', asLeader = ''] = js;
    const [commands = []] = consoles;
    fs.writeFileSync(file('team-labels.mjs'), alone);
    fs.writeFileSync(file('team-labels-leader.mjs'), `${alone.trimEnd().split('\n').slice(0, -1).join('\n')}\n${asLeader}`);
    try {
      bash([...commands.map(({ text }, index) => `{ ${text}\n} >output-${index} 2>&1`), ...afterwards, ...elected]);
      for (const [index, { text, shown }] of commands.entries())
        if (shown.length > 0) expect(fs.readFileSync(file(`output-${index}`), 'utf8').trim(), text).to.equal(shown.join('\n'));
      const problems = commands.findIndex(({ text }) => text.includes('team-labels.mjs'));
      expect(fs.readFileSync(file(`output-${problems}`), 'utf8'), 'of the controller').to.equal('');
    } finally {
      bash(['npx raftplane stop --delete']);
    }
  });
}

const becomes = (team: string): string => `kubectl wait --for=jsonpath='{.data.name}'=${team} configmap/team --timeout=60s`;

/** Further promises of the controller, after the page's commands have started it as job 1. */
const afterwards = [
  'kubectl label --overwrite namespace default team=green',
  becomes('green'),
  'kubectl delete configmap team',
  'kubectl wait --for=create configmap/team --timeout=60s',
  becomes('green'),
  'kubectl label namespace default team-',
  'kubectl wait --for=delete configmap/team --timeout=60s',
  `kubectl get events -o jsonpath='{.items[*].reason}' | grep TeamNamed`,
  'kill %1',
  'wait %1',
];

const elected = [
  'for copy in 1 2; do KUBECONFIG=~/.kube/config node team-labels-leader.mjs & done',
  'kubectl label namespace default team=red',
  'kubectl wait --for=create configmap/team --timeout=60s',
  becomes('red'),
  `test "$(kubectl get lease team-labels -o jsonpath='{.spec.leaseDurationSeconds}')" = 15`,
  'kill $(jobs -p)',
  'for copy in $(jobs -p); do wait $copy; done',
  `test -z "$(kubectl get lease team-labels -o jsonpath='{.spec.holderIdentity}')"`,
];
