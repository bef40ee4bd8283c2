import type { JsonObject } from '../../../api/object.js';
import { itemsOf, textAt } from '../../../api/json/members.js';
import { invalid, required, type FieldError, type Path } from '../../registry/validation/field.js';
import { dns1035LabelName, subdomainName } from '../../registry/validation/names.js';

/** The names of a custom resource. */

const mixedCase = 'may have mixed case, but should otherwise match: ';
const nameMembers = ['plural', 'singular', 'kind', 'listKind'];

export function validateGroup(group: string, path: Path): FieldError[] {
  if (group === '') return [required(path, '')];
  const problems = subdomainName(group, false);
  if (problems.length > 0) return [invalid(path, group, problems.join(','))];
  return group.includes('.') ? [] : [invalid(path, group, 'should be a domain with at least one dot')];
}

/** Required names; the accepted ones are set later. */
export const requiredNames = (names: JsonObject, path: Path): FieldError[] =>
  nameMembers.filter((member) => textAt(names, member) === '').map((member) => required(path.child(member), ''));

export function validateNames(names: JsonObject, path: Path): FieldError[] {
  const kind = textAt(names, 'kind');
  return [
    ...['plural', 'singular'].flatMap((member) => label(textAt(names, member), path.child(member))),
    ...['kind', 'listKind'].flatMap((member) => kindName(textAt(names, member), path.child(member))),
    ...listOfNames(names, 'shortNames', path),
    ...(kind !== '' && kind === textAt(names, 'listKind')
      ? [invalid(path.child('listKind'), kind, 'kind and listKind may not be the same')]
      : []),
    ...listOfNames(names, 'categories', path),
  ];
}

const listOfNames = (names: JsonObject, member: string, path: Path): FieldError[] =>
  itemsOf(names[member]).flatMap((name, position) => label(String(name), path.child(member).index(position), true));

/** A missing name is already reported, except in lists. */
function label(name: string, path: Path, inList = false): FieldError[] {
  const problems = name === '' && !inList ? [] : dns1035LabelName(name, false);
  return problems.length === 0 ? [] : [invalid(path, name, problems.join(','))];
}

function kindName(name: string, path: Path): FieldError[] {
  const problems = name === '' ? [] : dns1035LabelName(name.toLowerCase(), false);
  return problems.length === 0 ? [] : [invalid(path, name, `${mixedCase}${problems.join(',')}`)];
}
