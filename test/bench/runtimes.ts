import { execFile, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { programFile } from '../../deploy/programs.js';
import { compareSubjects, type ComparisonOptions } from './against/against.js';
import { otherSubject, type Subject } from './against/subject.js';

const run = promisify(execFile);

export interface RuntimesOptions extends ComparisonOptions {
  /** Programs of Node; empty for those that `foundNodes` finds. */
  readonly nodes: readonly string[];
}

/** Measures a server of this build on each Node, newest first, with that Node's SQLite. */
export async function benchRuntimes({ nodes, ...options }: RuntimesOptions): Promise<void> {
  const found = await withVersions(nodes.length > 0 ? nodes : foundNodes());
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'bench-runtimes-'));
  const launchers: ChildProcess[] = [];
  try {
    const subjects: Subject[] = [];
    for (const [at, { node, version }] of found.entries()) {
      console.error(`  starting a server on Node ${version}`);
      const dataDirectory = path.join(folder, String(at));
      const launcher = launch(node, dataDirectory);
      launchers.push(launcher);
      const twice = found.some((other) => other.node !== node && other.version === version);
      const name = twice ? `Node ${version} (${path.basename(node)})` : `Node ${version}`;
      subjects.push(subjectOf(await startedBy(launcher, dataDirectory), dataDirectory, name));
    }
    await compareSubjects(subjects, options);
  } finally {
    await Promise.all(launchers.map(ended));
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** The launcher ends with this process in any case. */
function launch(node: string, dataDirectory: string): ChildProcess {
  const flags = ['--replicas', '1', '--managers', '0', '--port', '0', '--data-dir', dataDirectory];
  const execArgv = ['--import', programFile('leash')];
  return fork(programFile('raftplane'), ['up', ...flags], { execPath: node, execArgv, stdio: ['ignore', 'pipe', 'ignore', 'ipc'] });
}

/** Resolves with the server's address from the launcher. */
async function startedBy({ stdout }: ChildProcess, dataDirectory: string): Promise<{ readonly pid: number; readonly address: string }> {
  for await (const _ of stdout ?? []) {
    const { processes } = JSON.parse(fs.readFileSync(path.join(dataDirectory, 'cluster.json'), 'utf8')) as {
      readonly processes: readonly { readonly role: string; readonly pid: number | null; readonly address: string | null }[];
    };
    const server = processes.find(({ role }) => role === 'apiserver');
    if (server?.pid != null && server.address !== null) return { pid: server.pid, address: server.address };
  }
  throw new Error('a launcher ended before its server was ready');
}

async function ended(launcher: ChildProcess): Promise<void> {
  if (launcher.exitCode !== null || launcher.signalCode !== null) return;
  const exit = once(launcher, 'exit');
  launcher.kill('SIGTERM');
  await exit;
}

function subjectOf({ pid, address }: { readonly pid: number; readonly address: string }, dataDirectory: string, name: string): Subject {
  const file = (base: string): string => path.join(dataDirectory, 'pki', base);
  return otherSubject({
    url: new URL(address),
    cert: file('admin.crt'),
    key: file('admin.key'),
    ca: file('ca.crt'),
    name,
    pids: [pid],
  });
}

/** Returns this Node, and those that CI installs. */
function foundNodes(): readonly string[] {
  const tools = path.resolve('.ci/tools/node_modules');
  const installed = fs.existsSync(tools) ? fs.readdirSync(tools).filter((name) => /^node\d+$/.test(name)) : [];
  return [process.execPath, ...installed.map((name) => path.join(tools, name, 'bin/node'))];
}

async function withVersions(nodes: readonly string[]): Promise<readonly { readonly node: string; readonly version: string }[]> {
  const found = await Promise.all(
    nodes.map(async (node) => ({ node, version: (await run(node, ['-p', 'process.versions.node'])).stdout.trim() })),
  );
  return found.sort((a, b) => b.version.localeCompare(a.version, 'en', { numeric: true }));
}
