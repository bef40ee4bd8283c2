import { memberAt } from '../members.js';
import type { Strategy } from '../strategy.js';
import { pathSegmentName } from '../validation/names.js';

export const apiServices: Strategy = {
  // `VERSION.GROUP`, and just `v1.` for the core group, which no ordinary name could be.
  validateName: pathSegmentName,
  // What this server serves itself needs no connection, so it is available from the start.
  prepareForCreate(service, { now }) {
    const local = memberAt(service, 'spec', 'service') === undefined;
    const available = { type: 'Available', status: 'True', lastTransitionTime: now, reason: 'Local', message: 'Local APIServices are always available' };
    service['status'] = local ? { conditions: [available] } : {};
  },
  prepareForUpdate(service, old) { service['status'] = old['status']; },
};
