import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Connection } from './connection.js';
import { differencesOf, isWording, type Difference } from './differences.js';
import { Player } from './player.js';
import type { Scenario, Step } from './recordings.js';

/** The result of a step, without `differences` if it matches. */
export interface StepResult {
  readonly index: number;
  readonly about: string;
  readonly differences: readonly Difference[];
  readonly wordingOnly: boolean;
}

const pollMs = 150;
/** The limit for a namespace's default account, which pods require. */
const accountMs = 3_000;
const json = { 'content-type': 'application/json', accept: 'application/json' };

/** Plays one scenario in its own namespace, and deletes it. */
export async function playScenario(connection: Connection, scenario: Scenario): Promise<StepResult[]> {
  const player = new Player(connection, scenario.ignore);
  const namespace = `/api/v1/namespaces/${String(player.names['ns'])}`;
  const ask = (method: string, path: string, body?: object): Promise<Answer> =>
    connection.request({ method, path, headers: json, body: body && JSON.stringify(body) });
  try {
    const metadata = { name: player.names['ns'] };
    const made = await ask('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata });
    if (made.status !== 201) return [result(-1, 'namespace', [{ at: 'status', want: 201, got: made.status }])];
    const end = Date.now() + accountMs;
    while (Date.now() < end && (await ask('GET', `${namespace}/serviceaccounts/default`)).status !== 200) await delay(pollMs);
    return await stepResults(player, scenario.steps);
  } finally {
    player.close();
    await ask('DELETE', namespace).catch(() => undefined);
  }
}

async function stepResults(player: Player, steps: readonly Step[]): Promise<StepResult[]> {
  const results: StepResult[] = [];
  for (const [index, step] of steps.entries()) {
    const differences = await differencesIn(player, step).catch((error: unknown) => noAnswer(String(error)));
    if (differences !== null) results.push(result(index, aboutStep(step), differences));
  }
  return results;
}

async function differencesIn(player: Player, step: Step): Promise<Difference[] | null> {
  const observed = await player.step(step);
  if (observed === null) return null;
  return 'seen' in observed ? differencesOf(step.expect, observed.seen) : noAnswer(`not reached in time: ${observed.missed}`);
}

const noAnswer = (got: string): Difference[] => [{ at: 'request', want: 'an answer', got }];

/** A short description of a step. */
export const aboutStep = (step: Step): string => step.do ?? step.eventually ?? `events ${step.events ?? ''}`;

const result = (index: number, about: string, all: readonly Difference[]): StepResult => ({
  index,
  about,
  differences: all.filter((each) => !isWording(each)),
  wordingOnly: all.length > 0 && all.every(isWording),
});
