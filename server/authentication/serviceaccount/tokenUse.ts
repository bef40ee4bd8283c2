/**
 * Uses of service account tokens: valid; stale, when the client should have fetched another one; legacy, for valid ones in secrets, made by a controller
 * (auto) or a user (manual); and those refused for disuse.
 */
export type TokenUse = 'valid' | 'stale' | 'legacy' | 'legacyAuto' | 'legacyManual' | 'invalidLegacyAuto';
