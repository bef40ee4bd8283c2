/** The one door to `api`. Types of kinds are imported by group version: `api/types/apps/v1.js`. */
export { isObject } from './json.js';
export * from './meta/object.js';
export * from './meta/resource.js';
export * from './selectors.js';
export * from './time.js';
