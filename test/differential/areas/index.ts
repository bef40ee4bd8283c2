import type { Area } from '../area.js';
import { apply } from './apply.js';
import { cel } from './cel.js';
import { customResources } from './customResources.js';
import { kinds } from './kinds.js';
import { patches } from './patches.js';

/** All areas; a new one is a file beside this one and a line here. */
export const areas: readonly Area[] = [kinds, apply, patches, customResources, cel];
