/**
 * What there is to count of a token of a service account: that it was good; that its client should have fetched another one by then; and of those without
 * an end, kept in secrets, that one was good, whether a controller had made its secret or somebody by hand, and that one was refused for want of use.
 */
export type TokenUse = 'valid' | 'stale' | 'legacy' | 'legacyAuto' | 'legacyManual' | 'invalidLegacyAuto';
