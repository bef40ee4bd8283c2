import { keyOf, keyTextOf, uidOf } from '../../api/meta/object.js';
import { certificateSigningRequests } from '../../api/types/certificates/v1.js';
import type { Controller } from '../client/controller.js';
import { isConflict, isNotFound, messageOf } from '../client/errors.js';
import { every } from '../client/workQueue.js';
import type { ManagerEnvironment } from '../environment.js';
import { staleness } from './requestState.js';

const lookEveryMs = 3_600_000;

/** Removes requests for certificates that are over: issued, denied, failed or forgotten. */
export function requestCleaner({ api, informers, clock, log }: ManagerEnvironment): Controller {
  const informer = informers.of(certificateSigningRequests);
  const name = 'csrcleaner';
  const clean = async (): Promise<void> => {
    for (const request of informer.cache.list()) {
      if (staleness(request, clock.now()) === null) continue;
      try {
        await api.delete(certificateSigningRequests, keyOf(request), { preconditions: { uid: uidOf(request) } });
      } catch (error) {
        if (!isNotFound(error) && !isConflict(error)) log('error', `${name}: ${keyTextOf(request)}: ${messageOf(error)}`);
      }
    }
  };
  return {
    name,
    async run(signal) {
      await informer.synced();
      await every(clock, lookEveryMs, clean, signal);
    },
  };
}
