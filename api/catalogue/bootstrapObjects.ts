import type { ApiObject } from '../object.js';
import { readCatalogueData } from './data.js';

/** Returns fresh copies of the objects of an empty cluster, by resource, in the reference's order. */
export const bootstrapObjects = (): Readonly<Record<string, ApiObject[]>> => readCatalogueData('bootstrap');
