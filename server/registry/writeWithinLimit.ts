import type { ApiObject } from '../../api/object.js';
import type { WriteResult } from '../storage/contract.js';
import { isTooLarge } from '../storage/requestSize.js';

/** Omits `managedFields`, as in the reference, if the store finds the object too large with them; server-side apply omits nothing. */
export async function writeWithinLimit(
  object: ApiObject,
  applies = false,
  write: (object: ApiObject) => Promise<WriteResult>,
): Promise<WriteResult> {
  const result = await write(object);
  if (applies || result.outcome !== 'rejected' || object.metadata.managedFields === undefined || !isTooLarge(result.reason)) return result;
  const { managedFields: _, ...metadata } = object.metadata;
  return write({ ...object, metadata });
}
