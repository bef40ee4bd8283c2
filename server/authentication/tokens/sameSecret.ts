import { hash, timingSafeEqual } from 'node:crypto';

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/** Compares in constant time. Digests have equal lengths, as that needs. */
export const sameSecret = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));
