import type { Area } from '../area.js';
import { access } from './access.js';
import { admission } from './admission.js';
import { apply } from './apply.js';
import { cel } from './cel.js';
import { controllers } from './controllers.js';
import { customResources } from './customResources.js';
import { deletion } from './deletion.js';
import { discovery } from './discovery.js';
import { fields } from './fields.js';
import { kinds } from './kinds.js';
import { lists } from './lists.js';
import { metadata } from './metadata.js';
import { negotiation } from './negotiation.js';
import { patches } from './patches.js';
import { policies } from './policies.js';
import { quota } from './quota.js';
import { serviceAddresses } from './serviceAddresses.js';
import { watches } from './watches.js';

/** All areas; add new ones here. */
export const areas: readonly Area[] = [
  kinds,
  metadata,
  deletion,
  fields,
  negotiation,
  discovery,
  apply,
  patches,
  customResources,
  cel,
  lists,
  watches,
  access,
  admission,
  policies,
  quota,
  serviceAddresses,
  controllers,
];
