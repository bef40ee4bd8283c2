import type { ApiObject } from '../object.js';
import { readCatalogueData } from './data.js';

/** Objects that the API server creates in an empty cluster, by resource, in the order of the reference. A fresh copy for each caller. */
export const bootstrapObjects = (): Readonly<Record<string, ApiObject[]>> => readCatalogueData('bootstrap');
