import { StatusError } from '../../../api/status.js';
import type { DecodedBody } from '../body.js';

/** The returned function throws the text's refusal (400), so that an absent object is reported first. Other refusals are thrown at once. */
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
