import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../fixtures/packageRoot.js';
import type { Step } from '../golden/recordings.js';
import type { Played } from './play.js';
import type { Sequence } from './area.js';

/** Sequences with equal answers on both servers. The test suite replays them without the other server. */
const folder = path.join(packageRoot, 'test', 'differential', 'recordings');

/** Names of recorded areas. */
export const recordedAreas = (): string[] =>
  fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .sort();

export const readRecordings = (area: string): readonly Sequence[] =>
  fs.existsSync(fileOf(area)) ? (JSON.parse(fs.readFileSync(fileOf(area), 'utf8')) as Sequence[]) : [];

/** A recording: each step with its answer. */
export const recorded = ({ steps }: Sequence, played: Played): Sequence => ({
  steps: steps.map((step, index): Step => ({ ...step, ...(played[index] ? { expect: played[index] } : {}) })),
});

/** Adds new sequences. */
export function addRecordings(area: string, sequences: readonly Sequence[]): void {
  const known = readRecordings(area);
  const texts = new Set(known.map(requestsOf));
  const all = [...known, ...sequences.filter((sequence) => !texts.has(requestsOf(sequence)))];
  fs.writeFileSync(fileOf(area), `[\n${all.map((each) => JSON.stringify(each)).join(',\n')}\n]\n`);
}

const requestsOf = ({ steps }: Sequence): string => JSON.stringify(steps.map(({ expect: _, ...asked }) => asked));
const fileOf = (area: string): string => path.join(folder, `${area}.json`);
