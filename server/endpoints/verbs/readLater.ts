import { StatusError } from '../../../api/status.js';
import type { DecodedBody } from '../body.js';

/** The returned function throws the refusal of the text (400): an absent object is reported before it. Other refusals are thrown at once. */
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
