import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chooseSqlite } from '../../raft/index.js';
import { portIsFree } from '../ports.js';

export interface Finding {
  readonly about: string;
  readonly state: 'good' | 'note' | 'bad';
  readonly detail: string;
}

const memoryWantedMegabytes = 1_024;
const oldestNode = [20, 19] as const;

export async function examine(directory: string, port: number): Promise<Finding[]> {
  return [node(), sqlite(), kubectl(), folder(directory), await portFinding(port), memory()];
}

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isNew = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
  const detail = `Node ${process.versions.node} on ${process.platform} ${process.arch}`;
  return { about: 'node', state: isNew ? 'good' : 'bad', detail: isNew ? detail : `${detail}; ${oldestNode.join('.')} or newer is needed` };
}

/** Reports the SQLite driver for replicas here, and why preferred ones are missing. */
function sqlite(): Finding {
  try {
    const { name, version, passedOver } = chooseSqlite();
    const why = passedOver.map((other) => `; not ${other.name}: ${other.reason}`).join('');
    return { about: 'sqlite', state: 'good', detail: `${name} with SQLite ${version}${why}` };
  } catch (error) {
    const missing = ['python3', 'make', process.env['CXX'] ?? 'c++'].filter(
      (tool) => spawnSync(tool, ['--version'], { stdio: 'ignore' }).status !== 0,
    );
    const why =
      missing.length > 0 ? `; to compile it, ${missing.join(', ')} is missing (Debian, Ubuntu: apt-get install python3 make g++)` : '';
    return { about: 'sqlite', state: 'bad', detail: `${error instanceof Error ? error.message : String(error)}${why}` };
  }
}

function kubectl(): Finding {
  const { status, stdout } = spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' });
  if (status === 0) return { about: 'kubectl', state: 'good', detail: stdout.split('\n')[0] ?? '' };
  return {
    about: 'kubectl',
    state: 'note',
    detail: 'not on the PATH; any client works, and kubectl is at https://kubernetes.io/docs/tasks/tools/',
  };
}

function folder(directory: string): Finding {
  let parent = path.resolve(directory);
  while (!fs.existsSync(parent) && path.dirname(parent) !== parent) parent = path.dirname(parent);
  try {
    fs.accessSync(parent, fs.constants.W_OK);
    return { about: 'data', state: 'good', detail: directory };
  } catch {
    return { about: 'data', state: 'bad', detail: `${parent} cannot be written to: give another --data-dir` };
  }
}

async function portFinding(port: number): Promise<Finding> {
  if (await portIsFree(port)) return { about: 'port', state: 'good', detail: `${port} is free` };
  return { about: 'port', state: 'note', detail: `${port} is in use (by a cluster of yours, perhaps); another one: raftplane up --port 0` };
}

function memory(): Finding {
  const free = Math.floor(os.freemem() / 1024 / 1024);
  return {
    about: 'memory',
    state: free < memoryWantedMegabytes ? 'note' : 'good',
    detail: `${free} MB free; three replicas with two managers take some 700`,
  };
}
