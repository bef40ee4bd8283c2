import type { CredentialNote } from '../../../program/authentication/authenticator.js';

/**
 * Uses of service account tokens: valid; stale, when the client should have fetched another one; legacy, for valid ones in secrets, made by a controller
 * (auto) or a user (manual); and those refused for disuse.
 */
export type TokenUse = 'valid' | 'stale' | 'legacy' | 'legacyAuto' | 'legacyManual' | 'invalidLegacyAuto';

export const legacyNote = 'authentication.k8s.io/legacy-token';
/** Tells audit events of a token without audiences, whether it is valid or not (serviceaccount/jwt.go). */
export const legacyUse = (subject: string): CredentialNote => ({ key: legacyNote, text: subject });
