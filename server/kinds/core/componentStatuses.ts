import type { ComponentCondition, ComponentStatus } from '../../../api/types/core/v1.js';
import { itemsOf } from '../../../api/json/members.js';
import type { Draft, Kind, Writable } from '../kind.js';

/** Component conditions are next to the metadata; only one matters. */
const health = ({ conditions }: Draft<ComponentStatus>): Writable<ComponentCondition> =>
  itemsOf(conditions).find(({ type }) => type === 'Healthy') ?? {};

export const componentStatuses: Kind<Draft<ComponentStatus>> = {
  name: 'componentstatuses',
  versions: { v1: { deprecation: 'v1 ComponentStatus is deprecated in v1.19+' } },
  cells: {
    Status: (object) => ({ True: 'Healthy', False: 'Unhealthy' })[health(object).status ?? ''] ?? 'Unknown',
    Message: (object) => health(object).message ?? '',
    Error: (object) => health(object).error ?? '',
  },
};
