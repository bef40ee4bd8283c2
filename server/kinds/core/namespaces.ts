import type { Namespace, NamespaceSpec } from '../../../api/types/core/v1.js';
import type { JsonObject } from '../../../api/object.js';
import { membersOf, textAt } from '../../../api/json/members.js';
import { invalid, Path, type FieldError } from '../../registry/validation/field.js';
import { validateKnownFinalizer } from '../../registry/validation/metadata.js';
import { dnsLabelName, qualifiedNameProblems } from '../../registry/validation/names.js';
import { fieldsAt } from '../fields.js';
import type { Draft, Kind, Writable } from '../kind.js';

/** The namespace controller removes it when all content is gone. */
const contentFinalizer = 'kubernetes';
const activePhase = 'Active';
const nameLabel = 'kubernetes.io/metadata.name';
const specFinalizers = Path.of('spec', 'finalizers');

const finalizersOf = (namespace: Draft<Namespace>): string[] => (membersOf(namespace.spec).finalizers as string[] | undefined) ?? [];

/** The immutable label with the namespace's name, by which selectors match it. */
function label(namespace: Draft<Namespace>): void {
  const name = namespace.metadata.name ?? '';
  if (name !== '') namespace.metadata.labels = { ...namespace.metadata.labels, [nameLabel]: name };
}

const withFinalizers = (spec: Writable<NamespaceSpec>, finalizers: string[]): JsonObject => {
  const { finalizers: _old, ...rest } = spec;
  return finalizers.length === 0 ? rest : { ...rest, finalizers };
};

/** The reference names the list on create and the item on finalize. */
const validateFinalizers = (namespace: Draft<Namespace>, pathOf: (position: number) => Path): FieldError[] =>
  finalizersOf(namespace).flatMap((finalizer, position) => [
    ...qualifiedNameProblems(finalizer).map((text) => invalid(pathOf(position), finalizer, text)),
    ...validateKnownFinalizer(finalizer, pathOf(position)),
  ]);

function validateStatus(namespace: Draft<Namespace>): FieldError[] {
  const phase = membersOf(namespace.status).phase;
  const deleted = namespace.metadata.deletionTimestamp !== undefined;
  if (!deleted && phase !== activePhase)
    return [invalid(Path.of('status', 'Phase'), phase, "may only be 'Active' if `deletionTimestamp` is empty")];
  if (deleted && phase !== 'Terminating')
    return [invalid(Path.of('status', 'Phase'), phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")];
  return [];
}

export const namespaces: Kind<Draft<Namespace>> = {
  name: 'namespaces',
  metadata: { name: dnsLabelName },
  defaults: label,
  validate: (namespace) => validateFinalizers(namespace, () => specFinalizers),
  create: {
    prepare(namespace) {
      const spec = membersOf(namespace.spec);
      const finalizers = finalizersOf(namespace);
      namespace.spec = withFinalizers(spec, finalizers.includes(contentFinalizer) ? finalizers : [...finalizers, contentFinalizer]);
      namespace.status = { phase: activePhase };
      label(namespace);
    },
  },
  update: {
    prepare(namespace, old) {
      namespace.spec = withFinalizers(membersOf(namespace.spec), finalizersOf(old));
    },
  },
  subresources: {
    status: {
      prepare(namespace) {
        namespace.status = { ...namespace.status, phase: namespace.status?.phase || activePhase };
      },
      validate: validateStatus,
    },
    finalize: {
      prepare(namespace, old) {
        namespace.spec = withFinalizers(membersOf(old.spec), finalizersOf(namespace));
        namespace.status = old.status;
      },
      resets: ['status'],
      validate: (namespace) => validateFinalizers(namespace, (position) => specFinalizers.index(position)),
    },
  },
  delete: {
    heldBy: (namespace) => finalizersOf(namespace).length > 0,
    mark(namespace, now) {
      namespace.metadata.deletionTimestamp = now;
      namespace.status = { ...membersOf(namespace.status), phase: 'Terminating' };
    },
    // A second request removes a terminating namespace.
    alwaysMarks: true,
    answers: 'object',
  },
  fields: { values: fieldsAt('status.phase') },
  cells: { Status: (object) => textAt(object, 'status', 'phase') },
};
