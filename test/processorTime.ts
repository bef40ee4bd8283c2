import fs from 'node:fs';
import type Mocha from 'mocha';

/** `/proc` counts in these, whatever the kernel's own clock is. */
const ticksPerSecond = 100;
/** Where the line of `/proc/self/stat` has the user and system time of children, counted behind the name of the process. */
const ofChildren = [13, 14] as const;

/** Seconds of all threads of this process, and, on Linux, of the processes below it that have ended. */
export function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + secondsOfChildren();
}

function secondsOfChildren(): number {
  if (process.platform !== 'linux') return 0;
  const line = fs.readFileSync('/proc/self/stat', 'latin1');
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return ofChildren.reduce((sum, at) => sum + Number(fields[at]), 0) / ticksPerSecond;
}

const title = 'processor seconds: ';
let before = 0;

/**
 * Loaded into each process that runs test files beside others. What a worker tells of a hook is its file, its duration and its title, so the title of the last
 * hook of each file has what the file took, with loading it.
 */
export const mochaHooks: Mocha.RootHookObject = {
  afterAll(this: Mocha.Context): void {
    const now = processorSeconds();
    const hook = this.test;
    if (hook === undefined) return;
    // Mocha puts the suite's name behind it.
    (hook as Mocha.Hook).originalTitle = `${title}${now - before}`;
    hook.file = hook.parent?.suites.find(({ file }) => file !== undefined)?.file;
    before = now;
  },
};

/** Of a hook that a worker tells of; null for all others. */
export function processorSecondsIn(hookTitle: string): number | null {
  return hookTitle.startsWith(title) ? Number.parseFloat(hookTitle.slice(title.length)) : null;
}
