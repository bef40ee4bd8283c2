import { qualifiedName } from '../../../api/resource.js';
import { StatusError } from '../../../api/status.js';
import type { Logger } from '../../../program/log/logger.js';
import { expiredList, ExpiredError } from '../../registry/failures.js';
import type { ServedResource } from '../../registry/resources.js';
import type { EndpointCounts } from '../counts.js';
import { encodeContinue, expiredContinue } from './continueToken.js';
import type { ListOptions } from './listOptions.js';

export const expiredMessageOf = ({ continuing }: ListOptions): string => (continuing ? expiredContinue : expiredList);

interface Listing {
  readonly resource: ServedResource;
  readonly options: ListOptions;
  readonly allNamespaces: boolean;
}

/** An expired list can be continued without a snapshot. Other errors stay. */
export function refusedList(error: unknown, { resource, options, allNamespaces }: Listing, deps: ExpiryReports): unknown {
  if (!(error instanceof ExpiredError)) return error;
  deps.counts.expiredList(error.why);
  deps.log?.debug(2, 'a list has expired', { resource: qualifiedName(resource), reason: error.why });
  if (options.after === null) return error;
  return new StatusError(error.code, error.reason, error.message, error.details, {
    cause: error,
    continue: encodeContinue(null, options.after, allNamespaces),
  });
}

export interface ExpiryReports {
  readonly counts: Pick<EndpointCounts, 'expiredList'>;
  readonly log: Logger | null;
}
