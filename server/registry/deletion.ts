import { timeText } from '../../api/time.js';
import type { ApiObject } from '../../api/object.js';
import { conflict, type StatusError } from '../../api/status.js';
import type { StoredObject } from '../storage/contract.js';
import type { Target } from './target.js';
import type { ServedResource } from './resources.js';
import type { DeleteSteps } from './strategy.js';

export interface DeleteOptions {
  /** A safe integer. */
  readonly gracePeriodSeconds: number | null;
  readonly propagationPolicy: 'Orphan' | 'Foreground' | 'Background' | null;
  /** The older form of the policy: true means Orphan, false neither finalizer. */
  readonly orphanDependents: boolean | null;
  readonly uid: string | null;
  readonly resourceVersion: string | null;
}

export const noDeleteOptions: DeleteOptions = {
  gracePeriodSeconds: null,
  propagationPolicy: null,
  orphanDependents: null,
  uid: null,
  resourceVersion: null,
};

export type DeletionPlan =
  /** Kinds with a grace period show watchers `marked` even when it is zero. */
  { readonly action: 'remove'; readonly marked: ApiObject | null } | { readonly action: 'mark'; readonly object: ApiObject };

const orphan = 'orphan';
const foreground = 'foregroundDeletion';

interface Circumstances {
  /** RFC 3339 with seconds. */
  readonly now: string;
  /** False without a garbage collector: its finalizer would hold the object for ever. */
  readonly collects?: boolean;
}

/** A finalizer carries the propagation policy to the garbage collector, if there is one (specification, section "States and transitions"). */
export function planDeletion(
  old: ApiObject,
  asked: DeleteOptions,
  rules: DeleteSteps,
  { now, collects = true }: Circumstances,
): DeletionPlan {
  const deleteOptions = collects ? asked : { ...asked, propagationPolicy: null, orphanDependents: null };
  if (awaitsItsEnd(old, deleteOptions, rules)) return { action: 'mark', object: old };
  const object = structuredClone(old);
  const deleting = old.metadata.deletionTimestamp !== undefined;
  const finalizers = collects ? finalizersFor(old, deleteOptions, rules) : [...(old.metadata.finalizers ?? [])];
  const grace = graceFor(old, deleteOptions, rules);
  const held = finalizers.length > 0 || rules.heldBy(old) || (rules.alwaysMarks && !deleting);
  const waits = rules.graceSeconds !== null && (!deleting || (old.metadata.deletionGracePeriodSeconds ?? 0) > 0);
  if (!held && grace === 0 && !waits) return { action: 'remove', marked: null };

  object.metadata.finalizers = finalizers;
  if (deleting) shorten(object, { now, grace, isFinalized: finalizers.length > 0 && !rules.heldBy(old) });
  else rules.mark(object, now, grace);
  return !held && grace === 0 ? { action: 'remove', marked: object } : { action: 'mark', object };
}

/** A grace period stays unless the request shortens it. */
function awaitsItsEnd(old: ApiObject, { gracePeriodSeconds }: DeleteOptions, rules: DeleteSteps): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds: left = 0 } = old.metadata;
  if (rules.graceSeconds === null || deletionTimestamp === undefined || left === 0) return false;
  return gracePeriodSeconds === null || periodOf(gracePeriodSeconds) >= left;
}

/** The generation grows: a controller has to reconcile the object once more. */
export function markDeleted(object: ApiObject, now: string, grace: number): void {
  const { metadata } = object;
  metadata.deletionTimestamp = later(now, grace);
  metadata.deletionGracePeriodSeconds = grace;
  if ((metadata.generation ?? 0) > 0) metadata.generation = (metadata.generation ?? 0) + 1;
}

interface Shorter {
  readonly now: string;
  readonly grace: number;
  readonly isFinalized: boolean;
}

/** A later request may only bring the end closer, not into the past (`BeforeDelete`, registry/rest/delete.go). */
function shorten({ metadata }: ApiObject, { now, grace, isFinalized }: Shorter): void {
  const before = metadata.deletionGracePeriodSeconds ?? 0;
  if (isFinalized) metadata.deletionGracePeriodSeconds = before;
  if (grace >= before) return;
  const end = later(metadata.deletionTimestamp ?? '', grace - before);
  const isPast = Date.parse(end) <= Date.parse(now);
  metadata.deletionTimestamp = isPast ? now : end;
  metadata.deletionGracePeriodSeconds = isPast ? Math.min(grace, 1) : grace;
}

const periodOf = (requested: number): number => (requested < 0 ? 1 : requested);

function graceFor(old: ApiObject, deleteOptions: DeleteOptions, rules: DeleteSteps): number {
  if (rules.graceSeconds === null) return 0;
  const { deletionTimestamp, deletionGracePeriodSeconds: left = 0 } = old.metadata;
  if (deletionTimestamp === undefined) return Math.min(rules.graceSeconds(old, deleteOptions.gracePeriodSeconds), Number.MAX_SAFE_INTEGER);
  return Math.min(periodOf(deleteOptions.gracePeriodSeconds ?? left), left);
}

function finalizersFor(old: ApiObject, deleteOptions: DeleteOptions, rules: DeleteSteps): string[] {
  const present = old.metadata.finalizers ?? [];
  const wanted = policyFinalizer(present, deleteOptions, rules);
  if (wanted === 'keep') return [...present];
  const others = present.filter((finalizer) => finalizer !== orphan && finalizer !== foreground);
  return wanted === null ? others : present.includes(wanted) && others.length === present.length - 1 ? [...present] : [...others, wanted];
}

/** 'keep' where an earlier decision holds. */
function policyFinalizer(present: readonly string[], deleteOptions: DeleteOptions, rules: DeleteSteps): string | null {
  if (rules.propagation === 'none') return null;
  if (deleteOptions.orphanDependents !== null) return deleteOptions.orphanDependents ? orphan : null;
  switch (deleteOptions.propagationPolicy) {
    case 'Orphan':
      return orphan;
    case 'Foreground':
      return foreground;
    case 'Background':
      return null;
    case null:
      break;
  }
  if (present.includes(orphan) || present.includes(foreground)) return 'keep';
  return rules.propagation === 'orphan' ? orphan : null;
}

const timeMaxMs = Date.UTC(9999, 11, 31, 23, 59, 59);

const later = (time: string, seconds: number): string => timeText(Math.min(Date.parse(time) + seconds * 1000, timeMaxMs));

/** An update that removes the last holder of a terminating object completes its deletion. */
export const completesDeletion = (object: ApiObject, rules: DeleteSteps): boolean =>
  object.metadata.deletionTimestamp !== undefined &&
  (object.metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
  (object.metadata.finalizers ?? []).length === 0 &&
  !rules.heldBy(object);

/** The reference names the kind here instead of the resource. */
export function preconditionProblem(
  { resource, name }: Target,
  stored: StoredObject,
  old: ApiObject,
  { uid, resourceVersion }: DeleteOptions,
): StatusError | null {
  const kind = { group: resource.group, resource: resource.kind };
  const actual = old.metadata;
  if (uid !== null && uid !== actual.uid) {
    return conflict(
      kind,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${actual.uid ?? ''}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== null && resourceVersion !== String(stored.version)) {
    return conflict(
      kind,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${stored.version}). The object might have been modified`,
    );
  }
  return null;
}

/** Returns the warnings of a request, which clients get even where nothing can be deleted. */
export function deletionWarnings(
  { behaviour }: ServedResource,
  { propagationPolicy, orphanDependents }: Pick<DeleteOptions, 'propagationPolicy' | 'orphanDependents'>,
): readonly string[] {
  const policy = propagationPolicy ?? (orphanDependents === null ? null : orphanDependents ? 'Orphan' : 'Background');
  return behaviour.strategy.delete.warnings(policy);
}
