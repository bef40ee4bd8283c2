import type { ApiObject } from '../../api/object.js';

/** Whether an object is new, or has changed in what its generation counts: who changes something else is not warned again. */
export const hasNewGeneration = ({ metadata }: Pick<ApiObject, 'metadata'>, old: Pick<ApiObject, 'metadata'> | null): boolean =>
  old === null || metadata.generation !== old.metadata.generation;
