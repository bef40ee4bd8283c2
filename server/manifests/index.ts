/**
 * The entry point of `api` for programs: what Kubernetes objects are, with the server's own defaults and validation. Kinds are imported by group version:
 * `raftplane/api/apps/v1`.
 * @module raftplane/api
 */
import type { ApiObject } from '../../api/object.js';
import { ManifestChecker, type Finding } from './checker.js';

export * from '../../api/index.js';
export { MalformedObject, ManifestChecker, UnknownKind, type Finding, type Verdict } from './checker.js';

let builtIn: ManifestChecker | undefined;
const checker = (): ManifestChecker => (builtIn ??= new ManifestChecker());

/** Resolves to the findings for which an API server would refuse an object of a built-in kind. Rejects with UnknownKind. */
export const validate = async (object: object): Promise<readonly Finding[]> => (await checker().check(object)).findings;

/** Returns a copy of an object of a built-in kind with the server's defaults. Throws UnknownKind or MalformedObject. */
export const defaults = (object: object): ApiObject => checker().defaults(object);
