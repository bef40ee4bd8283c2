import { weighsMore } from '../../workers/turns/weight.js';
import { turns, type Ended } from '../../workers/turns/turns.js';
import { type Steps } from '../../api/steps.js';
import type { ApiObject, JsonObject, JsonValue } from '../../api/object.js';
import { timeout } from '../../api/status.js';
import type { ChangeSteps, CreateSteps } from './strategy.js';
import { refuseGrown } from './grown.js';

/** Each step of writing a large object takes milliseconds. Between steps the write yields to other requests. */

/** A step over that many takes a millisecond or two. */
export const heavyValues = 2_000;

/** Stops counting as soon as the result is known. */
export const isHeavy = (value: JsonValue | undefined): boolean => weighsMore(value, heavyValues);

interface Awaited {
  readonly waiter?: { readonly signal: AbortSignal } | null | undefined;
  readonly deadline?: number | undefined;
}

/** Returns why a write is pointless by now: its client is gone, or its deadline has passed. */
export const endedOf =
  ({ waiter, deadline = Infinity }: Awaited): Ended =>
  () =>
    waiter?.signal.aborted === true || performance.now() >= deadline
      ? timeout('Timeout: request did not complete within the allotted timeout', 0)
      : null;

/** Yields to other work; awaited between the steps of a heavy object's write. */
export const nextTurn = (request: Awaited): Promise<void> => turns.next(endedOf(request));

/** Precomputes the slow parts of validation for a large object, yielding to other requests. */
export const reviewAhead = (steps: Pick<CreateSteps | ChangeSteps, 'ahead'>, object: ApiObject, request: Awaited): Promise<void> | null => {
  const done = isHeavy(object as JsonObject) ? turns.run(lookedAtAhead(steps, object), endedOf(request)) : undefined;
  return done instanceof Promise ? done : null;
};

function* lookedAtAhead(steps: Pick<CreateSteps | ChangeSteps, 'ahead'>, object: ApiObject): Steps<void> {
  yield* refuseGrown(object);
  yield* steps.ahead(object);
}
