import { StatusError } from '../../../api/status.js';
import type { DecodedBody } from '../body.js';

/**
 * Whether there is an object to patch comes before whether the body is a patch, as in the reference: a refusal of its text (400) is thrown by what is returned,
 * when the body is needed. Other refusals hold at once.
 */
export async function readLater(reading: Promise<DecodedBody>): Promise<() => DecodedBody> {
  try {
    const body = await reading;
    return () => body;
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== 'BadRequest') throw error;
    return () => {
      throw error;
    };
  }
}
