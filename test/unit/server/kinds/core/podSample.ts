import type { JsonObject } from '../../../../../api/object.js';

/** A container named `c`. */
export const container = (more: JsonObject = {}, name = 'c'): JsonObject => ({ name, image: 'i', ...more });

/** A pod named `p` with one container. */
export const pod = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', ...metadata },
  spec: { containers: [container()], ...spec },
});
