import { hash } from 'node:crypto';

/** Distinguishes texts without showing them. */
export const hashLabel = (text: string): string => `sha256:${hash('sha256', text, 'hex')}`;
