import { StatusError } from '../../../api/status.js';
import type { DecodedBody } from '../body.js';

/**
 * An absent object is reported before an unreadable patch, as in the reference: the returned function throws the refusal of the text (400). Other refusals are
 * thrown at once.
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
