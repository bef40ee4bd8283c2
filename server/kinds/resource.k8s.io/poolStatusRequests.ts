import type * as v1 from '../../../api/types/resource/v1alpha3.js';
import {
  byDefault,
  caselessSubdomain,
  conditions,
  created,
  declaredRules,
  format,
  immutable,
  invalid,
  isSet,
  keyedList,
  longName,
  maxBytes,
  maximum,
  members,
  minimum,
  optional,
  Path,
  required,
  requiredPointer,
  tooLong,
  unchanged,
  type Draft,
  type FieldError,
  type Found,
  type Kind,
} from '../language.js';

const limitDefault = 100;
const status = Path.of('status');

const poolNameBytesMax = 253;

/** The finding shows a wrong name as a part, an empty one as the whole. */
const poolName = (text: string, path: Path): FieldError[] => [
  ...(Buffer.byteLength(text) > poolNameBytesMax ? [tooLong(path, poolNameBytesMax)] : []),
  ...text
    .split('/')
    .flatMap((part, position) =>
      part === ''
        ? [invalid(path, text, `segment ${position}: must not be empty`)]
        : longName(part, false).map((problem) => invalid(path, part, `segment ${position}: ${problem}`)),
    ),
];

const amount = optional(minimum(0));
const pool = members<v1.PoolStatus>({
  driver: required(format(caselessSubdomain)),
  poolName: required(poolName),
  // A generation of zero counts as absent.
  generation: required(minimum(0)),
  resourceSliceCount: optional(minimum(1)),
  totalDevices: amount,
  allocatedDevices: amount,
  availableDevices: amount,
  unavailableDevices: amount,
  nodeName: optional(format(longName)),
  validationError: optional(maxBytes(256)),
});

/** The declarations of `resource.k8s.io/v1alpha3`. */
const rules = declaredRules<v1.ResourcePoolStatusRequest>({
  spec: immutable(
    created(
      members<v1.ResourcePoolStatusRequestSpec>({
        driver: required(format(caselessSubdomain)),
        poolName: optional(poolName),
        limit: byDefault(limitDefault, minimum(1), maximum(1000)),
      }),
    ),
  ),
  status: optional(
    members<v1.ResourcePoolStatusRequestStatus>({
      poolCount: requiredPointer(minimum(0)),
      pools: keyedList(1000, null, pool),
      conditions: keyedList(10, null),
    }),
  ),
});

/** The answer is written once. */
function validateAnswer(request: Draft<v1.ResourcePoolStatusRequest>, old: Draft<v1.ResourcePoolStatusRequest>): Found {
  if (isSet(old.status)) return unchanged(request.status, old.status, status);
  return conditions(request.status?.conditions, status.child('conditions'), null);
}

/** A query for the devices of a driver's pools, which a controller answers. */
export const resourcePoolStatusRequests: Kind<Draft<v1.ResourcePoolStatusRequest>> = {
  name: 'resourcepoolstatusrequests.resource.k8s.io',
  defaults: rules.defaults,
  validate: rules.created,
  create: {
    prepare(request) {
      delete request.status;
    },
  },
  update: {
    unconditional: false,
    review: ['objectMetaUpdate', rules.changed],
  },
  delete: { answers: 'object' },
  subresources: {
    status: {
      keepsMetadata: true,
      review: ['objectMetaUpdate', validateAnswer, rules.changed],
    },
  },
};
