import { hash } from 'node:crypto';

/** Returns a label value that distinguishes texts without showing them: names of servers, issuers and keys. */
export const hashLabel = (text: string): string => `sha256:${hash('sha256', text, 'hex')}`;
