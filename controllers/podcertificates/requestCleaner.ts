import { createdAt } from '../../api/meta/object.js';
import { podCertificateRequests } from '../../api/types/certificates/v1beta1.js';
import { cleaner } from '../certificates/cleaner.js';
import type { Controller } from '../client/controller.js';
import type { ManagerEnvironment } from '../environment.js';
import { whereServed } from '../servedTypes.js';

const lookEveryMs = 60_000;
/** After this time a kubelet has its certificate, or sends another request. */
const keptMs = 15 * 60_000;

export function podCertificateRequestCleaner(environment: ManagerEnvironment): Controller {
  const name = 'podcertificaterequestcleaner';
  return whereServed(environment, name, [podCertificateRequests], (type) =>
    cleaner(environment, { name, type, lookEveryMs, isOver: (request, now) => now - createdAt(request) > keptMs }),
  );
}
