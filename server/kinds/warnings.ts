import type { ApiObject } from '../../api/object.js';

/** Reports whether an object is new, or its generation changes: other changes cause no repeated warning. */
export const hasNewGeneration = ({ metadata }: Pick<ApiObject, 'metadata'>, old: Pick<ApiObject, 'metadata'> | null): boolean =>
  old === null || metadata.generation !== old.metadata.generation;
