import type { ComponentCondition, ComponentStatus } from '../../../api/types/core/v1.js';
import { itemsOf, type Draft, type Kind, type Writable } from '../language.js';

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
