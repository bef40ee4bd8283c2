import type * as v1 from '../../../api/types/networking/v1.js';
import {
  dnsSubdomain,
  format,
  members,
  nonZero,
  objectRules,
  pathSegmentName,
  printedAs,
  requiredPointer,
  textAt,
  type Draft,
  type Kind,
} from '../language.js';
import { immutable } from '../immutable.js';
import { addressNameProblems } from './canonical.js';
import { segment } from './references.js';

const validate = objectRules<v1.IPAddress>({
  spec: members<v1.IPAddressSpec>({
    parentRef: requiredPointer(
      members<v1.ParentReference>({
        group: nonZero(dnsSubdomain),
        resource: segment,
        name: segment,
        namespace: nonZero(format(pathSegmentName)),
      }),
    ),
  }),
});

export const ipAddresses: Kind<Draft<v1.IPAddress>> = {
  name: 'ipaddresses.networking.k8s.io',
  metadata: { name: addressNameProblems },
  validate,
  update: {
    review: [
      'objectMeta',
      validate,
      'objectMetaUpdate',
      immutable('spec.parentRef', (parent) => printedAs('networking.v1.ParentReference', parent)),
    ],
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
