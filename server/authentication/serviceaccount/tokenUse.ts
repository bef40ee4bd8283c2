/**
 * Uses of service account tokens: valid; stale, when its client should have fetched another one; legacy, for valid ones in secrets, which a controller (auto)
 * or someone (manual) created; and those refused for disuse.
 */
export type TokenUse = 'valid' | 'stale' | 'legacy' | 'legacyAuto' | 'legacyManual' | 'invalidLegacyAuto';
