import { GrownTooLarge } from '../../../workers/schema/custom/contract.js';
import type { Steps } from '../../../api/steps.js';
import { StatusError } from '../../../api/status.js';

const tooLarge = ({ bytesMax }: GrownTooLarge): StatusError =>
  new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${bytesMax}`);

/** Sets defaults; an API error if they are too many. */
export function* storable<T>(work: Steps<T>): Steps<T> {
  try {
    return yield* work;
  } catch (error) {
    throw error instanceof GrownTooLarge ? tooLarge(error) : error;
  }
}
