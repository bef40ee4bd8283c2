/**
 * The entry point of `api`. Kinds are imported by group version: `api/types/apps/v1.js`.
 * @module raftplane/api
 */
export * from './amounts.js';
export * from './cron.js';
export * from './duration.js';
export * from './intOrPercent.js';
export * from './json/json.js';
export * from './meta/object.js';
export * from './meta/resource.js';
export * from './podTotals.js';
export * from './quantity.js';
export * from './selectors.js';
export * from './time.js';
