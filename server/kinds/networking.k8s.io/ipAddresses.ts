import type { IPAddress } from '../../../api/types/networking/v1.js';
import { objectAt } from '../../registry/defaulting.js';
import { memberAt, textAt } from '../../registry/members.js';
import { Path, required, type FieldError } from '../../registry/validation/field.js';
import { unchanged } from '../../registry/validation/immutable.js';
import { printedStructure, type StructureForm } from '../../registry/validation/internalform.js';
import { pathSegmentName } from '../../registry/validation/names.js';
import { dnsSubdomain, named } from '../../registry/validation/values.js';
import type { Draft, Kind } from '../kind.js';
import { addressNameComplaints } from './canonical.js';
import { segment } from './references.js';

const parentPath = Path.of('spec', 'parentRef');
const parentForm: StructureForm = [
  ['group', 'Group', 'text'],
  ['resource', 'Resource', 'text'],
  ['namespace', 'Namespace', 'text'],
  ['name', 'Name', 'text'],
];

function validate(address: Draft<IPAddress>): FieldError[] {
  const parent = objectAt(objectAt(address, 'spec') ?? {}, 'parentRef');
  if (parent === null) return [required(parentPath, '')];
  const [group, namespace] = [textAt(parent, 'group'), textAt(parent, 'namespace')];
  return [
    ...(group === '' ? [] : dnsSubdomain(group, parentPath.child('group'))),
    ...segment(parent, 'resource', parentPath),
    ...segment(parent, 'name', parentPath),
    ...named(namespace, pathSegmentName, parentPath.child('namespace')),
  ];
}

const parentOf = (address: Draft<IPAddress>): ReturnType<typeof memberAt> => memberAt(address, 'spec', 'parentRef');

export const ipAddresses: Kind<Draft<IPAddress>> = {
  name: 'ipaddresses.networking.k8s.io',
  metadata: { name: addressNameComplaints },
  validate,
  update: {
    review: (address, old, metadata) => [
      ...metadata.object(),
      ...validate(address),
      ...metadata.update(),
      ...unchanged(parentOf(address), parentOf(old), parentPath, printedStructure(parentOf(address), parentForm)),
    ],
  },
  cells: {
    ParentRef: (object) =>
      (['group', 'resource', 'namespace', 'name'] as const)
        .map((member) => textAt(object, 'spec', 'parentRef', member))
        .filter((text, index) => text !== '' || index === 0)
        .filter((text) => text !== '')
        .join('/'),
  },
};
