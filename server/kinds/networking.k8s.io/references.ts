import type * as core from '../../../api/types/core/v1.js';
import { subdomainName, pathSegmentName } from '../../registry/validation/names.js';
import { format, members, optional, required } from '../../registry/validation/table.js';

export const segment = required(format(pathSegmentName));

export const typedReference = members<core.TypedLocalObjectReference>({
  apiGroup: optional(format(subdomainName)),
  kind: segment,
  name: segment,
});
