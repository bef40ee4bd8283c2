import type { ComponentStatus } from '../../../api/types/core/v1.js';
import type { JsonValue } from '../../../api/object.js';
import { itemsOf, textAt } from '../../../api/json/members.js';
import type { Draft, Kind } from '../kind.js';

/** Component conditions are next to the metadata; only one matters. */
const health = (object: Draft<ComponentStatus>): JsonValue | undefined =>
  itemsOf(object.conditions).find((each) => textAt(each, 'type') === 'Healthy');

export const componentStatuses: Kind<Draft<ComponentStatus>> = {
  name: 'componentstatuses',
  versions: { v1: { deprecation: 'v1 ComponentStatus is deprecated in v1.19+' } },
  cells: {
    Status: (object) => ({ True: 'Healthy', False: 'Unhealthy' })[textAt(health(object), 'status')] ?? 'Unknown',
    Message: (object) => textAt(health(object), 'message'),
    Error: (object) => textAt(health(object), 'error'),
  },
};
