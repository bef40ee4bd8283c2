import type { GroupResource } from '../../api/resource.js';
import type { Version } from './contract.js';
import type { Segment } from './segment.js';

/**
 * Forms that threads with the same objects share: the JSON of an object, and its other encodings, made by the first thread that needs them. `server/threads`
 * implements it. A server of one thread keeps its own.
 */

export interface FormSubject {
  readonly facts: { readonly resource: GroupResource };
  readonly namespace: string;
  readonly name: string;
  readonly version: Version;
}

/** Numbers stored with the bytes; zero if unused. */
export type FormNotes = readonly [number, number, number, number];

export interface MadeForm {
  readonly bytes: Buffer;
  readonly notes: FormNotes;
}

/** `segment` is the shared memory of the bytes, which tracks users; null if they are the caller's own. */
export interface CommonForm extends MadeForm {
  readonly segment: Segment | null;
}

export interface CommonForms {
  /**
   * Returns the form from another thread, or from `make` for all. If another thread is making it, this one waits briefly. Throws what `make` throws. The state
   * must be the same in every thread at this key and version, and the bytes must depend only on it and on `form`.
   */
  of(subject: FormSubject, form: string, make: () => MadeForm): CommonForm;
  /** Shares an existing form without waiting. */
  put(subject: FormSubject, form: string, made: MadeForm): CommonForm;
}
