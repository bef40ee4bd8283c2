/** Everything that a controller needs. Start with `docs/writing-a-controller.md`. */
export * from './api.js';
export * from './cache.js';
export * from './clock.js';
export * from './connection.js';
export * from './controller.js';
export * from './errors.js';
export * from './events.js';
export * from './expectations.js';
export * from './informer.js';
export * from './kubeconfig.js';
export * from './object.js';
export * from './resource.js';
export * from './rest.js';
export * from './selectors.js';
export * from './throttle.js';
export * from './workQueue.js';
