import type { ListRequest } from '../storage/contract.js';

export const everything: Omit<ListRequest, 'resource' | 'namespace'> = {
  labels: [],
  fields: [],
  consistency: { at: 'any' },
  limit: null,
  after: null,
};
