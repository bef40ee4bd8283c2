import type * as v1 from '../../../api/types/core/v1.js';
import {
  all,
  dnsLabelName,
  each,
  fieldsAt,
  format,
  invalid,
  itemsOf,
  members,
  objectRules,
  ofEach,
  Path,
  qualifiedNameProblems,
  textAt,
  type Draft,
  type FieldError,
  type Found,
  type Kind,
  type Rule,
  type Writable,
} from '../language.js';
import { validateKnownFinalizer } from '../../registry/validation/metadata.js';

/** The namespace controller removes it when all content is gone. */
const contentFinalizer = 'kubernetes';
const activePhase = 'Active';
const nameLabel = 'kubernetes.io/metadata.name';

const finalizersOf = ({ spec }: Draft<v1.Namespace>): string[] => spec?.finalizers ?? [];

/** The immutable label with the namespace's name, by which selectors match it. */
function label(namespace: Draft<v1.Namespace>): void {
  const name = namespace.metadata.name ?? '';
  if (name !== '') namespace.metadata.labels = { ...namespace.metadata.labels, [nameLabel]: name };
}

const withFinalizers = (spec: Writable<v1.NamespaceSpec> = {}, finalizers: string[]): Writable<v1.NamespaceSpec> => {
  const { finalizers: _old, ...rest } = spec;
  return finalizers.length === 0 ? rest : { ...rest, finalizers };
};

const finalizer = all(format(qualifiedNameProblems), validateKnownFinalizer);
const finalizerRules = (finalizers: Rule<readonly string[] | undefined>): ((namespace: Draft<v1.Namespace>) => Found) =>
  objectRules<v1.Namespace>({ spec: members<v1.NamespaceSpec>({ finalizers }) });
/** The reference names the list on create and the item on finalize. */
const validate = {
  list: finalizerRules((list, path) => ofEach(itemsOf(list), (item) => finalizer(item, path, list))),
  items: finalizerRules(each(finalizer)),
};

function validateStatus({ metadata: { deletionTimestamp }, status }: Draft<v1.Namespace>): FieldError[] {
  const [phase, state] = deletionTimestamp === undefined ? [activePhase, 'empty'] : ['Terminating', 'not empty'];
  const text = `may only be '${phase}' if \`deletionTimestamp\` is ${state}`;
  return status?.phase === phase ? [] : [invalid(Path.of('status', 'Phase'), status?.phase, text)];
}

export const namespaces: Kind<Draft<v1.Namespace>> = {
  name: 'namespaces',
  metadata: { name: dnsLabelName },
  defaults: label,
  validate: validate.list,
  create: {
    prepare(namespace) {
      const finalizers = finalizersOf(namespace);
      namespace.spec = withFinalizers(
        namespace.spec,
        finalizers.includes(contentFinalizer) ? finalizers : [...finalizers, contentFinalizer],
      );
      namespace.status = { phase: activePhase };
      label(namespace);
    },
  },
  update: {
    prepare(namespace, old) {
      namespace.spec = withFinalizers(namespace.spec, finalizersOf(old));
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
        namespace.spec = withFinalizers(old.spec, finalizersOf(namespace));
        namespace.status = old.status;
      },
      resets: ['status'],
      validate: validate.items,
    },
  },
  delete: {
    heldBy: (namespace) => finalizersOf(namespace).length > 0,
    mark(namespace, now) {
      namespace.metadata.deletionTimestamp = now;
      namespace.status = { ...namespace.status, phase: 'Terminating' };
    },
    // A second request removes a terminating namespace.
    alwaysMarks: true,
    answers: 'object',
  },
  fields: { values: fieldsAt('status.phase') },
  cells: { Status: (object) => textAt(object, 'status', 'phase') },
};
