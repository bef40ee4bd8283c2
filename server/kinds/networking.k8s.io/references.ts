import type * as core from '../../../api/types/core/v1.js';
import { format, members, optional, pathSegmentName, required, subdomainName } from '../language.js';

export const segment = required(format(pathSegmentName));

export const typedReference = members<core.TypedLocalObjectReference>({
  apiGroup: optional(format(subdomainName)),
  kind: segment,
  name: segment,
});
