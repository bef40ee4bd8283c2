import type { ApiObject } from '../../api/object.js';
import type { WriteResult } from '../storage/contract.js';
import { isTooLarge } from '../storage/requestSize.js';

/**
 * Writes an object; without the record of who owns which field if the store finds it too large with it. That record may be as large as the object. As the
 * reference does.
 */
export async function fitting(object: ApiObject, write: (object: ApiObject) => Promise<WriteResult>): Promise<WriteResult> {
  const result = await write(object);
  if (result.outcome !== 'rejected' || object.metadata.managedFields === undefined || !isTooLarge(result.reason)) return result;
  const { managedFields: _, ...metadata } = object.metadata;
  return write({ ...object, metadata });
}
