import type { ResourcePoolStatusRequest } from '../../../api/types/resource/v1alpha3.js';
import { ensureObject, objectAt, setDefault } from '../../../api/json/defaulting.js';
import { isSet, itemsOf, memberAt } from '../../../api/json/members.js';
import { validateConditions } from '../../registry/validation/conditions.js';
import {
  immutable,
  list,
  longName,
  longNameCaseless,
  maxBytes,
  maximum,
  members,
  minimum,
  optional,
  plain,
  pointer,
  required,
  resourcePoolName,
} from '../../registry/validation/declared.js';
import { Path, type FieldError } from '../../registry/validation/field.js';
import { unchanged } from '../../registry/validation/immutable.js';
import type { Draft, Kind } from '../kind.js';

const limitDefault = 100;
const status = Path.of('status');

const amount = optional(pointer, minimum(0));
const pool = members({
  driver: required(plain, longNameCaseless),
  poolName: required(plain, resourcePoolName),
  // A generation of zero counts as absent.
  generation: required(plain, minimum(0)),
  resourceSliceCount: optional(pointer, minimum(1)),
  totalDevices: amount,
  allocatedDevices: amount,
  availableDevices: amount,
  unavailableDevices: amount,
  nodeName: optional(pointer, longName),
  validationError: optional(pointer, maxBytes(256)),
});

/** The declarations of `resource.k8s.io/v1alpha3`. */
const declared = members({
  spec: immutable(
    members({
      driver: required(plain, longNameCaseless),
      poolName: optional(pointer, resourcePoolName),
      limit: optional(pointer, minimum(1), maximum(1000)),
    }),
  ),
  status: optional(
    pointer,
    members({
      poolCount: required(pointer, minimum(0)),
      pools: list({ itemsMax: 1000, each: pool }),
      conditions: list({ itemsMax: 10 }),
    }),
  ),
});

/** The answer is written once. */
function validateAnswer(request: Draft<ResourcePoolStatusRequest>, old: Draft<ResourcePoolStatusRequest>): FieldError[] {
  const answer = objectAt(request, 'status');
  if (isSet(old.status)) return unchanged(request.status, old.status, status);
  return answer === null ? [] : validateConditions(itemsOf(memberAt(answer, 'conditions')), status.child('conditions'));
}

/** A query for the devices of a driver's pools, which a controller answers. */
export const resourcePoolStatusRequests: Kind<Draft<ResourcePoolStatusRequest>> = {
  name: 'resourcepoolstatusrequests.resource.k8s.io',
  defaults(request) {
    setDefault(ensureObject(request, 'spec'), 'limit', limitDefault);
  },
  validate: (request) => declared(request, null, Path.root),
  create: {
    prepare(request) {
      delete request.status;
    },
  },
  update: {
    unconditional: false,
    review: ['objectMetaUpdate', (request, old) => declared(request, { value: old }, Path.root)],
  },
  delete: { answers: 'object' },
  subresources: {
    status: {
      keepsMetadata: true,
      review: ['objectMetaUpdate', validateAnswer, (request, old) => declared(request, { value: old }, Path.root)],
    },
  },
};
