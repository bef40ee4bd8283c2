import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { lastLines } from '../files.js';
import { CommandRefused } from './control.js';

const linesShown = 50;
/** Not all disks report changes of a log. */
const followEveryMs = 200;

export interface LogsWanted {
  /** Default: all programs. */
  readonly name: string | undefined;
  readonly follow: boolean;
  readonly json: boolean;
}

/** Prints the ends of logs, and with `follow` new lines until a signal. Works for stopped clusters, too. */
export async function showLogs(directory: string, { name, follow, json }: LogsWanted, print: (text: string) => void): Promise<void> {
  const folder = path.join(directory, 'logs');
  const all = fs.existsSync(folder)
    ? fs
        .readdirSync(folder)
        .filter((file) => file.endsWith('.log'))
        .map((file) => file.slice(0, -'.log'.length))
    : [];
  const names = name === undefined ? all : all.filter((each) => each === name);
  if (names.length === 0)
    throw new CommandRefused(
      name === undefined ? `there are no logs in ${folder}` : `there is no log of ${name}, but of ${all.join(', ') || 'nobody'}`,
    );
  const files = names.map((each) => ({ name: each, file: path.join(folder, `${each}.log`) }));
  const written = (program: string, text: string): string => {
    if (json)
      return text
        .split('\n')
        .map((line) => JSON.stringify({ program, line }))
        .join('\n');
    return names.length === 1 ? text : text.replace(/^/gm, `${program}: `);
  };
  const ends = new Map(files.map(({ file }) => [file, fs.statSync(file).size]));
  for (const { name: each, file } of files) print(written(each, lastLines(file, linesShown)));
  while (follow) {
    await delay(followEveryMs);
    for (const { name: each, file } of files) {
      const text = readFrom(file, ends);
      if (text !== '') print(written(each, text));
    }
  }
}

/** Returns whole lines after the last position. */
function readFrom(file: string, ends: Map<string, number>): string {
  const from = ends.get(file) ?? 0;
  const { size } = fs.statSync(file, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size <= from) {
    ends.set(file, size);
    return '';
  }
  const bytes = fs.readFileSync(file).subarray(from);
  const whole = bytes.lastIndexOf(0x0a) + 1;
  ends.set(file, from + whole);
  return bytes.subarray(0, whole).toString('utf8').trimEnd();
}
