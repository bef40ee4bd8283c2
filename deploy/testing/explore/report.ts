import type { Exploration, Finding } from './explore.js';
import { guessOf, planText } from './perturbation.js';
import type { Entry } from './record.js';

const timelineEntriesMax = 40;
const outputLinesMax = 15;

const judgements: Readonly<Record<Finding['violations'][number]['judgement'], string>> = {
  path: 'it arrives elsewhere when it starts there',
  finalState: 'it does not arrive where it arrives undisturbed',
  quiet: 'it does not become quiet',
  starts: 'it does not start again',
  leftovers: 'something is left after deletion',
  generation: 'observedGeneration is wrong at rest',
  panic: 'an error is not caught',
  overwrites: 'it writes over what somebody else has written',
  deletions: 'it deletes what it keeps undisturbed',
  fights: 'it fights somebody else over an object',
  idleWrites: 'it writes again and again what is there already',
  expected: 'an expectation does not hold',
};

export const titleOf = ({ perturbation, violations: [worst] }: Finding): string =>
  `${judgements[worst!.judgement]}: ${perturbation === null ? 'without any disturbance' : planText(perturbation)}`;

const timelineText = ({ atMs, incarnation, place, status, note }: Entry): string =>
  `${String(atMs).padStart(7)} ms  #${incarnation + 1}  ${place.call}${place.nth > 1 ? ` (${place.nth})` : ''}  ${status ?? '-'}${note ? `  <-- ${note}` : ''}`;

export function aroundNote(record: readonly Entry[]): readonly Entry[] {
  const at = record.findIndex(({ note }) => note !== undefined);
  const from = at < 0 ? record.length - timelineEntriesMax : at - timelineEntriesMax / 2;
  return record.slice(Math.max(0, from)).slice(0, timelineEntriesMax);
}

export function findingText(finding: Finding, number: number, replay: string | undefined): string {
  const { perturbation, violations, record, output, others } = finding;
  const lines = output
    .trimEnd()
    .split('\n')
    .slice(-outputLinesMax)
    .filter((line) => line !== '');
  return [
    `${number}. ${titleOf(finding)}`,
    ...(perturbation === null ? [] : [`   probably: ${guessOf(perturbation)}`]),
    ...violations.flatMap(({ details }) => details.map((detail) => `   ${detail}`)),
    ...(others.length === 0
      ? []
      : [
          `   the same with ${others.length} other plan${others.length === 1 ? '' : 's'}: ${others.slice(0, 3).map(planText).join('; ')}${others.length > 3 ? ' ...' : ''}`,
        ]),
    '   what it asked for, by start of the operator:',
    ...aroundNote(record).map((entry) => `   ${timelineText(entry)}`),
    ...(lines.length === 0 ? [] : ['   the end of its output:', ...lines.map((line) => `   | ${line}`)]),
    ...(replay === undefined ? [] : [`   again: ${replay}`]),
  ].join('\n');
}

export const summaryOf = ({ findings, plans, run, notReached, unconfirmed, requests, tookMs }: Exploration): string =>
  `${findings.length} finding${findings.length === 1 ? '' : 's'}; ${run} of ${plans} plans at ${requests} requests in ${(tookMs / 1000).toFixed(1)} s` +
  (notReached === 0 ? '' : `; ${notReached} did not come to their place`) +
  (unconfirmed.length === 0 ? '' : `; ${unconfirmed.length} showed something once and not again, and do not count`);

/** One page for people. `replays` has a command for each finding. */
export const reportText = (exploration: Exploration, replays: readonly (string | undefined)[] = []): string =>
  [...exploration.findings.map((finding, index) => findingText(finding, index + 1, replays[index])), summaryOf(exploration)].join('\n\n');
