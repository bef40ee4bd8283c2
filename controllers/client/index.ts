/**
 * Everything that a controller needs. Start with `docs/writing-a-controller.md`.
 * @module raftplane/client
 */
export * from './api.js';
export * from './cache.js';
export * from './clock.js';
export * from './connection.js';
export * from './controller.js';
export type { ContentType } from './encoding.js';
export * from './errors.js';
export * from './events.js';
export * from './expectations.js';
export * from './informer.js';
export * from './kubeconfig.js';
export * from '../../api/meta/object.js';
export * from './program.js';
export * from '../../api/meta/resource.js';
export * from './rest.js';
export * from '../../api/selectors.js';
export * from '../../api/time.js';
export type { LabelSelector } from '../../api/types/meta/v1.js';
export * from './throttle.js';
export * from './workQueue.js';
export * from '../leaderElection.js';
