import type { ListRequest } from '../storage/contract.js';

/** The part of a list request that selects every object. */
export const everything: Omit<ListRequest, 'resource' | 'namespace'> = {
  labels: [],
  fields: [],
  consistency: { at: 'any' },
  limit: null,
  after: null,
};
