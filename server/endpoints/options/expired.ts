import { StatusError } from '../../../api/status.js';
import { expiredList } from '../../registry/failures.js';
import { encodeContinue, expiredContinue } from './continueToken.js';
import type { ListOptions } from './listOptions.js';

export const expiredMessageOf = ({ continuing }: ListOptions): string => (continuing ? expiredContinue : expiredList);

/** A list whose version has expired can be continued, if the client accepts that it is no longer a snapshot. */
export function withContinuation(error: unknown, options: ListOptions, allNamespaces: boolean): unknown {
  if (!(error instanceof StatusError) || error.code !== 410 || options.after === null) return error;
  return new StatusError(error.code, error.reason, error.message, error.details, {
    cause: error,
    continue: encodeContinue(null, options.after, allNamespaces),
  });
}
