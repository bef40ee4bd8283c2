import { hash } from 'node:crypto';

/** A label's value that tells texts apart without showing them: names of servers, issuers and keys. */
export const hashLabel = (text: string): string => `sha256:${hash('sha256', text, 'hex')}`;
