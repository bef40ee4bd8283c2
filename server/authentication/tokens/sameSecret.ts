import { hash, timingSafeEqual } from 'node:crypto';

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/** Compares in constant time, by digests of equal length. */
export const sameSecret = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));
