import type { Area } from '../area.js';
import { kinds } from './kinds.js';

/** All areas; a new one is a file beside this one and a line here. */
export const areas: readonly Area[] = [kinds];
