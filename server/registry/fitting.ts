import type { ApiObject } from '../../api/object.js';
import type { WriteResult } from '../storage/contract.js';
import { isTooLarge } from '../storage/requestSize.js';

/**
 * Writes an object, as in the reference without `managedFields` (which may be as large as the object) if the store finds it too large with them. Server-side
 * apply exists for them and omits nothing.
 */
export async function fitting(
  object: ApiObject,
  applies = false,
  write: (object: ApiObject) => Promise<WriteResult>,
): Promise<WriteResult> {
  const result = await write(object);
  if (applies || result.outcome !== 'rejected' || object.metadata.managedFields === undefined || !isTooLarge(result.reason)) return result;
  const { managedFields: _, ...metadata } = object.metadata;
  return write({ ...object, metadata });
}
