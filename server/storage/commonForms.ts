import type { GroupResource } from '../../api/resource.js';
import type { Version } from './contract.js';
import type { Segment } from './segment.js';

/**
 * What several threads that keep the same objects have in common: the JSON of an object, and its other encodings, made by the first thread that needs them and
 * read by all. Storage knows of this much; who makes it so is `server/threads`. A server of one thread has none, and keeps what it makes.
 */

/** One state of one object: a key, and the version at which it was in that state. */
export interface FormSubject {
  readonly facts: { readonly resource: GroupResource };
  readonly namespace: string;
  readonly name: string;
  readonly version: Version;
}

/** Numbers that are told with the bytes; zero where there is nothing to tell. */
export type FormNotes = readonly [number, number, number, number];

export interface MadeForm {
  readonly bytes: Buffer;
  readonly notes: FormNotes;
}

/** `segment`: the common memory in which the bytes lie, to be told who needs them there and for how long; null where they are the caller's own. */
export interface CommonForm extends MadeForm {
  readonly segment: Segment | null;
}

export interface CommonForms {
  /**
   * The form as some thread has made it, otherwise as `make` does now, for all. While another thread is at it, this one waits a moment. Throws what
   * `make` throws. The state must be the one that every thread has at this key and version, and the bytes must follow from it and from `form` alone.
   */
  of(subject: FormSubject, form: string, make: () => MadeForm): CommonForm;
  /** The same where the form is at hand already: nobody is waited for. */
  put(subject: FormSubject, form: string, made: MadeForm): CommonForm;
}
