import type { IPAddress } from '../../../api/types/networking/v1.js';
import { objectAt } from '../../../api/json/defaulting.js';
import { textAt } from '../../../api/json/members.js';
import { Path, required, type FieldError } from '../../registry/validation/field.js';
import { printedStructure, type StructureForm } from '../../registry/validation/internalform.js';
import { pathSegmentName } from '../../registry/validation/names.js';
import { dnsSubdomain, named } from '../../registry/validation/values.js';
import { immutable } from '../immutable.js';
import type { Draft, Kind } from '../kind.js';
import { specOf } from '../parts.js';
import { addressNameProblems } from './canonical.js';
import { segment } from './references.js';

const parentPath = Path.of('spec', 'parentRef');
const parentForm: StructureForm = [
  ['group', 'Group', 'text'],
  ['resource', 'Resource', 'text'],
  ['namespace', 'Namespace', 'text'],
  ['name', 'Name', 'text'],
];

function validate(address: Draft<IPAddress>): FieldError[] {
  const parent = objectAt(specOf(address), 'parentRef');
  if (parent === null) return [required(parentPath, '')];
  const [group, namespace] = [textAt(parent, 'group'), textAt(parent, 'namespace')];
  return [
    ...(group === '' ? [] : dnsSubdomain(group, parentPath.child('group'))),
    ...segment(parent, 'resource', parentPath),
    ...segment(parent, 'name', parentPath),
    ...named(namespace, pathSegmentName, parentPath.child('namespace')),
  ];
}

export const ipAddresses: Kind<Draft<IPAddress>> = {
  name: 'ipaddresses.networking.k8s.io',
  metadata: { name: addressNameProblems },
  validate,
  update: {
    review: ['objectMeta', validate, 'objectMetaUpdate', immutable('spec.parentRef', (parent) => printedStructure(parent, parentForm))],
  },
  cells: {
    ParentRef: (object) => {
      const [resource, group, namespace, name] = (['resource', 'group', 'namespace', 'name'] as const).map((member) =>
        textAt(object, 'spec', 'parentRef', member),
      );
      const kind = group === '' ? resource : `${resource}.${group}`;
      return [kind?.toLowerCase(), ...(namespace === '' ? [] : [namespace]), name].join('/');
    },
  },
};
