/** Returns the message of an error; anything else that was thrown as text. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));
