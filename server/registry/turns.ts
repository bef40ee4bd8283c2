import { weighsMore } from '../../workers/turns/weight.js';
import { turns, type Ended } from '../../workers/turns/turns.js';
import { type Steps } from '../../api/steps.js';
import type { ApiObject, JsonObject, JsonValue } from '../../api/object.js';
import { timeout } from '../../api/status.js';
import type { ChangeSteps, CreateSteps } from './strategy.js';
import { refuseGrown } from './grown.js';

/**
 * A write of a large object takes milliseconds in each of its steps: reading the old state, defaults, who owns which field, validation,
 * encoding. Between them it gives way to other requests; small objects, nearly all there are, go straight through.
 */

/** Members and items from which on an object is heavy. A step with that many takes a millisecond or two. */
export const heavyValues = 2_000;

/** Stops counting as soon as it knows. */
export const isHeavy = (value: JsonValue | undefined): boolean => weighsMore(value, heavyValues);

/** Who waits for the outcome of some work, and until when; as of a write. */
interface Awaited {
  readonly waiter?: { readonly signal: AbortSignal } | null | undefined;
  readonly deadline?: number | undefined;
}

/** When the work on a write has no purpose any more: its client is gone, or its time is over. */
export const endedOf =
  ({ waiter, deadline = Infinity }: Awaited): Ended =>
  () =>
    waiter?.signal.aborted === true || performance.now() >= deadline
      ? timeout('Timeout: request did not complete within the allotted timeout', 0)
      : null;

/** Gives way to other work: to be awaited between the steps of a heavy object's write. */
export const nextTurn = (request: Awaited): Promise<void> => turns.next(endedOf(request));

/** Does what takes validation long about a large object beforehand, giving way to others; null where nothing does. */
export const reviewAhead = (steps: Pick<CreateSteps | ChangeSteps, 'ahead'>, object: ApiObject, request: Awaited): Promise<void> | null => {
  const done = isHeavy(object as JsonObject) ? turns.run(lookedAtAhead(steps, object), endedOf(request)) : undefined;
  return done instanceof Promise ? done : null;
};

/** Admission may have made the object grow, too. */
function* lookedAtAhead(steps: Pick<CreateSteps | ChangeSteps, 'ahead'>, object: ApiObject): Steps<void> {
  yield* refuseGrown(object);
  yield* steps.ahead(object);
}
