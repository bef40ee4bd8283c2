import { createdAt, keyOf, keyTextOf, uidOf } from '../../api/meta/object.js';
import { type PodCertificateRequest, podCertificateRequests } from '../../api/types/certificates/v1beta1.js';
import type { Controller } from '../client/controller.js';
import { isConflict, isNotFound, messageOf } from '../client/errors.js';
import { every } from '../client/workQueue.js';
import type { ManagerEnvironment } from '../environment.js';
import { whereServed } from '../servedTypes.js';

const lookEveryMs = 60_000;
const keptMs = 15 * 60_000;

/** A node agent that has not fetched its certificate by now will ask anew. Pure. */
const isStale = (request: PodCertificateRequest, now: number): boolean => now - createdAt(request) > keptMs;

/** Removes requests of pods for certificates that are over. */
export function podCertificateRequestCleaner(environment: ManagerEnvironment): Controller {
  const name = 'podcertificaterequestcleaner';
  return whereServed(environment, name, [podCertificateRequests], (type) => {
    const { api, informers, clock, log } = environment;
    const informer = informers.of(type);
    const clean = async (): Promise<void> => {
      for (const request of informer.cache.list().filter((each) => isStale(each, clock.now()))) {
        try {
          await api.delete(type, keyOf(request), { preconditions: { uid: uidOf(request) } });
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
  });
}
