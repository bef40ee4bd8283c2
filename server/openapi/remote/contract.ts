import type { BuiltDocument, Encoding } from '../build.js';

/** Another program's documents about one group version. */
export interface RemoteDocument {
  /** Below `/openapi/v3/`. */
  readonly path: string;
  /** The version 3 document's hash; null while it is unavailable. */
  readonly hash: string | null;
  /** Its part of the version 2 document in compressed JSON; null for none. */
  readonly v2: Uint8Array | null;
  /** The version 3 document. Rejects when it is unavailable. */
  document(encoding: Encoding): Promise<BuiltDocument>;
}
