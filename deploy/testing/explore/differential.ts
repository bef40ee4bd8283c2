import { ApiError } from '../../../controllers/client/errors.js';
import { edited, type Change } from './change.js';
import type { Violation } from './judgement.js';
import { play, type Reference, type RunResult, type Setting } from './run.js';
import type { Step } from './scenario.js';
import { nameOf, type State } from './state.js';

/** The object of a change, and the steps before it. */
interface Ground {
  readonly before: readonly Step[];
  readonly step: Step;
}

function groundOf(steps: readonly Step[], { object }: Change): Ground | null {
  const index = steps.findIndex(({ does, objects }) => does === 'apply' && objects.some((each) => nameOf(each) === object));
  return index < 0 ? null : { before: steps.slice(0, index), step: steps[index]! };
}

const withEdits = ({ step }: Ground, { object, edits }: Change, count: number, name: string): Step => ({
  ...step,
  name,
  objects: step.objects.map((each) => (nameOf(each) === object ? edited(each, edits.slice(0, count)) : each)),
});

const removal = ({ before, step }: Ground): Step => ({
  name: 'deletion',
  does: 'delete',
  objects: [...before.flatMap(({ does, objects }) => (does === 'apply' ? objects : [])), ...step.objects].reverse(),
});

/**
 * Plays a change twice: from the scenario's object and back, and from an empty cluster. Both must reach the same state; the way back must restore the original
 * state, and a deletion must leave nothing.
 */
export async function playChange(setting: Setting, reference: Reference, change: Change): Promise<RunResult> {
  const ground = groundOf(setting.steps, change);
  if (ground === null) return notReached;
  try {
    return await playBoth(setting, reference, change, ground);
  } catch (error) {
    // Refused by validation or an immutability rule: no user can make this change.
    if (error instanceof ApiError && (error.code === 422 || error.code === 400)) return notReached;
    throw error;
  }
}

const notReached: RunResult = { record: [], states: [], reached: false, violations: [], output: '' };

async function playBoth(setting: Setting, reference: Reference, change: Change, ground: Ground): Promise<RunResult> {
  const { states, startup, deletions, noise } = reference;
  const { before, step } = ground;
  const known = states.slice(0, before.length + 1);
  const there = states[before.length + 1];
  const changes = change.edits.map((_, index) => withEdits(ground, change, index + 1, `change ${index + 1}`));
  const back: Step = { ...step, name: 'the change is taken back' };
  const way = { startup, deletions, noise, states: [...known, there, ...changes.map(() => undefined), there, states.at(-1)] };
  const onTheWay = await play({ ...setting, steps: [...before, step, ...changes, back, removal(ground)] }, way, null);
  const changed: State | undefined = onTheWay.states[before.length + 1 + changes.length];
  if (changed === undefined) return { ...onTheWay, reached: true };
  const start = { startup, deletions, noise, where: 'when a change leads there', states: [...known, changed, states.at(-1)] };
  const whole = withEdits(ground, change, change.edits.length, 'the changed object from the beginning');
  const fresh = await play({ ...setting, steps: [...before, whole, removal(ground)] }, start, null);
  const shown = onTheWay.violations.length > 0 ? onTheWay : fresh;
  return { ...shown, reached: true, violations: [...onTheWay.violations, ...fresh.violations.map(byPath)] };
}

const byPath = (violation: Violation): Violation =>
  violation.judgement !== 'finalState' ? violation : { ...violation, judgement: 'path' };
