import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { objectAt, objectsIn } from '../../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../../api/json/members.js';
import type { SubresourceRules } from '../../../registry/rules.js';
import { restoreMember } from '../../../registry/statuswrites.js';
import {
  duplicate,
  forbidden,
  internalError,
  invalid,
  notSupported,
  Path,
  required,
  tooLong,
  type FieldError,
} from '../../../registry/validation/field.js';
import { parseOldAddress } from '../../../registry/validation/addresses.js';
import { whileOn } from '../../../registry/validation/gatedFindings.js';
import { subdomainName } from '../../../registry/validation/names.js';
import { repeats } from '../../../registry/validation/repeats.js';
import { inRange, ipAddress, qualified } from '../../../registry/validation/values.js';
import { validatePodAnnotationsUpdate } from './annotations.js';
import { validateClaimStatuses } from './claimStatuses.js';
import { annotations } from './validation.js';
import { specOf, statusOf } from '../../parts.js';
import { groupedBy } from '../../../registry/validation/repeats.js';

const statusPath = Path.of('status');
const systemConditions: ReadonlySet<string> = new Set(['PodScheduled', 'Ready', 'Initialized']);

/**
 * The older single member wins where both are set. The reference does so when it converts a pod, before field ownership
 * (`Convert_v1_PodStatus_To_core_PodStatus`).
 */
export function mirrorAddresses(pod: object): void {
  const status = statusOf(pod as JsonObject);
  const ip = textAt(status, 'podIP');
  const first = textAt(objectsIn(status, 'podIPs')[0] ?? {}, 'ip');
  if (ip !== '' && ip !== first) status['podIPs'] = [{ ip }];
  if (ip === '' && first !== '') status['podIP'] = first;
}

function validateStatus(pod: ApiObject, old: ApiObject): FieldError[] {
  const [status, before] = [statusOf(pod), statusOf(old)];
  const nominated = textAt(status, 'nominatedNodeName');
  return [
    ...validateConditions(status),
    ...(nominated === '' || nominated === textAt(before, 'nominatedNodeName')
      ? []
      : subdomainName(nominated, false).map((text) => invalid(statusPath.child('nominatedNodeName'), nominated, text))),
    ...validateGeneration(status, statusPath),
    ...(textAt(status, 'qosClass') === textAt(before, 'qosClass')
      ? []
      : [invalid(statusPath.child('qosClass'), textAt(status, 'qosClass'), 'field is immutable')]),
    ...['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'].flatMap((list) =>
      validateTransitions(status, before, specOf(old), list),
    ),
    ...validateClaimStatuses(status, specOf(pod)),
    ...validateAddresses(status, before, 'podIPs'),
    ...validateHostAddresses(status, before),
    ...statusLists.flatMap(([list]) => validateUsers(status, list, textAt(specOf(pod), 'os', 'name') || 'linux')),
    ...statusLists.flatMap(([list, containers]) => validateAllocated(status, list, containers, specOf(pod))),
    ...whileOn(
      'ImageVolumeWithDigest',
      statusLists.flatMap(([list]) => validateImages(status, list)),
    ),
  ];
}

const statusLists = [
  ['containerStatuses', 'containers'],
  ['initContainerStatuses', 'initContainers'],
  ['ephemeralContainerStatuses', null],
] as const;

const idMax = 2_147_483_647;
const imageMax = 256;
const healths = ['Healthy', 'Unhealthy', 'Unknown'];
const ofClaim = 'claim:';

/** The reference reports it next to its member. */
function validateUsers(status: JsonObject, list: string, os: string): FieldError[] {
  return objectsIn(status, list).flatMap((each, position) => {
    const linux = objectAt(objectAt(each, 'user') ?? {}, 'linux');
    const at = statusPath.child(list).index(position).child('linux');
    if (linux === null) return [];
    if (os === 'windows') return [forbidden(at, 'cannot be set for a windows pod')];
    if (os !== 'linux') return [];
    return [
      ...inRange(linux['uid'] ?? 0, 0, idMax, at.child('uid')),
      ...inRange(linux['gid'] ?? 0, 0, idMax, at.child('gid')),
      ...itemsOf(linux['supplementalGroups']).flatMap((group, each) =>
        inRange(group, 0, idMax, at.child('supplementalGroups').index(each)),
      ),
    ];
  });
}

/** The health of a container's devices. */
function validateAllocated(status: JsonObject, list: string, containers: string | null, spec: JsonObject): FieldError[] {
  const specified = groupedBy(containers === null ? [] : objectsIn(spec, containers), (one) => textAt(one, 'name'));
  return objectsIn(status, list).flatMap((each, position) => {
    const path = statusPath.child(list).index(position).child('allocatedResourcesStatus');
    const allocated = objectsIn(each, 'allocatedResourcesStatus');
    if (containers === null) return allocated.length === 0 ? [] : [forbidden(path, 'must not be specified in container status')];
    const container = specified.get(textAt(each, 'name'))?.[0];
    return allocated.flatMap((resource, index) => [
      ...(container === undefined ? [] : validateAllocatedName(textAt(resource, 'name'), container, path.index(index).child('name'))),
      ...validateHealth(objectsIn(resource, 'resources'), path.index(index).child('resources')),
    ]);
  });
}

/** An unknown container is accepted. */
function validateAllocatedName(name: string, container: JsonObject, path: Path): FieldError[] {
  const resources = objectAt(container, 'resources') ?? {};
  if (!name.startsWith(ofClaim))
    return Object.hasOwn(objectAt(resources, 'requests') ?? {}, name)
      ? []
      : [invalid(path, name, "must match one of the container's resource requests")];
  const claimed = objectsIn(resources, 'claims').map((claim) =>
    [textAt(claim, 'name'), textAt(claim, 'request')].filter((part) => part !== '').join('/'),
  );
  return claimed.includes(name.slice(ofClaim.length))
    ? []
    : [
        invalid(
          path,
          name,
          "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty",
        ),
      ];
}

function validateHealth(resources: readonly JsonObject[], path: Path): FieldError[] {
  const isRepeated = repeats(resources.map((resource) => textAt(resource, 'resourceID')));
  return resources.flatMap((resource, position) => {
    const [health, id] = [textAt(resource, 'health'), textAt(resource, 'resourceID')];
    const at = path.index(position);
    return [
      ...(healths.includes(health) ? [] : [notSupported(at.child('health'), health, healths)]),
      ...(isRepeated(position) ? [duplicate(at.child('resourceID'), id)] : []),
    ];
  });
}

const validateConditions = (status: JsonObject): FieldError[] =>
  objectsIn(status, 'conditions').flatMap((condition, position) => {
    const type = textAt(condition, 'type');
    const path = statusPath.child('conditions').index(position);
    return [...validateGeneration(condition, path), ...(systemConditions.has(type) ? [] : qualified(type, path.child('Type')))];
  });

const validateGeneration = (holder: JsonObject, path: Path): FieldError[] => {
  const generation = holder['observedGeneration'] ?? 0;
  return Number(generation) < 0 ? [invalid(path.child('observedGeneration'), generation, 'must be a non-negative integer')] : [];
};

/** The reference reports it next to its member. */
const validateImages = (status: JsonObject, list: string): FieldError[] =>
  objectsIn(status, list).flatMap((each, position) =>
    objectsIn(each, 'volumeMounts').flatMap((mount, index) => {
      const image = objectAt(objectAt(mount, 'volumeStatus') ?? {}, 'image');
      const path = statusPath
        .child(list)
        .index(position)
        .child('volumeMounts')
        .index(index)
        .child('volumeStatus', 'imageVolumeStatus', 'imageRef');
      if (image === null) return [];
      const name = textAt(image, 'imageRef');
      return [
        ...(name === '' ? [required(path, 'imageRef must not be empty')] : []),
        ...(Buffer.byteLength(name) > imageMax ? [tooLong(path, imageMax)] : []),
      ];
    }),
  );

/** A terminated container that is not restarted cannot run. */
function validateTransitions(status: JsonObject, before: JsonObject, spec: JsonObject, list: string): FieldError[] {
  const restartPolicy = list === 'ephemeralContainerStatuses' ? 'Never' : textAt(spec, 'restartPolicy');
  if (restartPolicy === 'Always') return [];
  const restarted = new Set(
    objectsIn(spec, 'initContainers')
      .filter((container) => container['restartPolicy'] === 'Always')
      .map((container) => textAt(container, 'name')),
  );
  const terminated = (each: JsonObject): JsonObject | null => objectAt(objectAt(each, 'state') ?? {}, 'terminated');
  const running = groupedBy(
    objectsIn(status, list).filter((each) => terminated(each) === null),
    (each) => textAt(each, 'name'),
  );
  return objectsIn(before, list).flatMap((was, position) => {
    const end = terminated(was);
    const name = textAt(was, 'name');
    if (
      end === null ||
      (Number(end['exitCode'] ?? 0) !== 0 && restartPolicy === 'OnFailure') ||
      (list === 'initContainerStatuses' && restarted.has(name))
    )
      return [];
    return (running.get(name) ?? []).map(() =>
      forbidden(statusPath.child(list).index(position).child('state'), 'may not be transitioned to non-terminated state'),
    );
  });
}

/** Allows one address per family. Existing addresses stay valid. */
function validateAddresses(status: JsonObject, before: JsonObject, list: string): FieldError[] {
  const path = statusPath.child(list);
  const ips = objectsIn(status, list).map((each) => textAt(each, 'ip'));
  const known = new Set(objectsIn(before, list).map((each) => textAt(each, 'ip')));
  const addresses = ips.map(parseOldAddress);
  const unreadable = addresses.indexOf(null);
  const isDual = unreadable < 0 && new Set(addresses.map((address) => address?.family)).size === 2;
  return [
    ...ips.flatMap((ip, position) => (known.has(ip) ? [] : ipAddress(ip, path.index(position)))),
    ...(ips.length > 1 && unreadable >= 0
      ? [internalError(path, `failed to check for dual stack with error:invalid IP[${unreadable}]: ${ips[unreadable] ?? ''}`)]
      : []),
    ...(ips.length > 1 && (ips.length > 2 || !isDual)
      ? [
          invalid(
            path,
            ips.map((ip) => ({ IP: ip })),
            'may specify no more than one IP for each IP family',
          ),
        ]
      : []),
  ];
}

function validateHostAddresses(status: JsonObject, before: JsonObject): FieldError[] {
  const first = textAt(objectsIn(status, 'hostIPs')[0] ?? {}, 'ip');
  if (first === '') return [];
  const agrees = first === textAt(status, 'hostIP');
  return [
    ...(agrees ? [] : [invalid(statusPath.child('hostIPs').index(0).child('ip'), first, 'must be equal to `hostIP`')]),
    ...validateAddresses(status, before, 'hostIPs'),
  ];
}

export const podStatus: SubresourceRules = {
  prepare(pod, old) {
    for (const member of ['deletionTimestamp', 'ownerReferences'] as const) restoreMember(pod.metadata, old.metadata, member);
    const status = statusOf(pod);
    if (textAt(status, 'qosClass') === '') status['qosClass'] = textAt(statusOf(old), 'qosClass');
    pod['status'] = status;
  },
  resets: ['spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences'],
  review: ['objectMetaUpdate', (pod, old) => validatePodAnnotationsUpdate(pod, old, annotations), validateStatus],
};
