import fs from 'node:fs';
import type Mocha from 'mocha';

/** The unit of `/proc`, whatever the kernel's clock is. */
const ticksPerSecond = 100;
/** Fields in `/proc/self/stat` with children's user and system time, counted after the name. */
const ofChildren = [13, 14] as const;

/** Seconds of all threads of this process and, on Linux, of its ended children. */
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
 * Loaded into each parallel test process. Workers report only file, duration and title of a hook, so the title of a file's last hook contains its processor
 * time.
 */
export const mochaHooks: Mocha.RootHookObject = {
  afterAll(this: Mocha.Context): void {
    const now = processorSeconds();
    const hook = this.test;
    if (hook === undefined) return;
    // Mocha appends the suite's name.
    (hook as Mocha.Hook).originalTitle = `${title}${now - before}`;
    hook.file = hook.parent?.suites.find(({ file }) => file !== undefined)?.file;
    before = now;
  },
};

/** The time in such a title; null for others. */
export function processorSecondsIn(hookTitle: string): number | null {
  return hookTitle.startsWith(title) ? Number.parseFloat(hookTitle.slice(title.length)) : null;
}
