import type { ApiObject } from '../../api/object.js';
import type { WriteResult } from '../storage/contract.js';
import { isTooLarge } from '../storage/requestSize.js';

/**
 * Writes an object; without the record of who owns which field if the store finds it too large with it. That record may be as large as the object. As the
 * reference does. Of server-side apply it is the purpose, and nothing is left out.
 */
export async function fitting(
  object: ApiObject,
  { applies = false }: { readonly applies?: boolean },
  write: (object: ApiObject) => Promise<WriteResult>,
): Promise<WriteResult> {
  const result = await write(object);
  if (applies || result.outcome !== 'rejected' || object.metadata.managedFields === undefined || !isTooLarge(result.reason)) return result;
  const { managedFields: _, ...metadata } = object.metadata;
  return write({ ...object, metadata });
}
