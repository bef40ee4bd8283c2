import type * as v1 from '../../../api/types/apiextensions/v1.js';
import {
  all,
  andThen,
  dns1035LabelName,
  each,
  insteadOfZero,
  invalid,
  members,
  nonZero,
  required,
  subdomainName,
  type Check,
  type FieldError,
  type NameRule,
  type Path,
  type Writable,
} from '../language.js';

type Names = Writable<v1.CustomResourceDefinitionNames>;

/** Several problems are one finding. */
export const joined =
  (rule: NameRule, beginning = ''): Check<string> =>
  (value, path) => {
    const problems = rule(value, false);
    return problems.length === 0 ? [] : [invalid(path, value, beginning + problems.join(','))];
  };

const dotted = (group: string, path: Path): FieldError[] =>
  group.includes('.') ? [] : [invalid(path, group, 'should be a domain with at least one dot')];
export const group = required(andThen<string>(joined(subdomainName), dotted));

/** Accepted names are set later, and may be absent. */
export const requiredNames = members<v1.CustomResourceDefinitionNames>({
  plural: required(),
  singular: required(),
  kind: required(),
  listKind: required(),
});

const label = joined(dns1035LabelName);
const kindName = joined((name) => dns1035LabelName(name.toLowerCase(), false), 'may have mixed case, but should otherwise match: ');

const ownListKind = (kind: string, path: Path, names: Names): FieldError[] =>
  kind === names.kind ? [invalid(path, kind, 'kind and listKind may not be the same')] : [];

const ofKind =
  (nameOf: (kind: string) => string) =>
  ({ kind = '' }: Names): string | undefined =>
    kind === '' ? undefined : nameOf(kind);

export const names = all<Names | null | undefined>(
  members<v1.CustomResourceDefinitionNames>({
    plural: nonZero(label),
    singular: insteadOfZero(
      ofKind((kind) => kind.toLowerCase()),
      label,
    ),
    kind: nonZero(kindName),
    listKind: insteadOfZero(
      ofKind((kind) => `${kind}List`),
      kindName,
    ),
    shortNames: each(label),
  }),
  members<v1.CustomResourceDefinitionNames>({ listKind: nonZero(ownListKind), categories: each(label) }),
);
