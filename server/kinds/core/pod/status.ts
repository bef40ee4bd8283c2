import type * as v1 from '../../../../api/types/core/v1.js';
import {
  all,
  distinct,
  dnsSubdomain,
  each,
  forbidden,
  forbiddenAs,
  groupedBy,
  inOrder,
  inRange,
  internalError,
  invalid,
  ipAddress,
  isSet,
  itemsOf,
  maxBytes,
  members,
  ofEach,
  on,
  oneOf,
  optional,
  parseOldAddress,
  Path,
  qualified,
  requiredAs,
  specOf,
  statusOf,
  type Draft,
  type FieldError,
  type Found,
  type Rule,
  type SubresourceRules,
  type Writable,
} from '../../language.js';
import { restoreMember } from '../../../registry/statusWrites.js';
import { validatePodAnnotationsUpdate } from './annotations.js';
import { validateClaimStatuses } from './claimStatuses.js';
import { annotations } from './validation.js';

type Pod = Draft<v1.Pod>;
type Status = Writable<v1.PodStatus>;
type ContainerStatus = Writable<v1.ContainerStatus>;

const statusPath = Path.of('status');
const systemConditions: ReadonlySet<string> = new Set(['PodScheduled', 'Ready', 'Initialized']);

/**
 * The older single member wins where both are set. The reference does so when it converts a pod, before field ownership
 * (`Convert_v1_PodStatus_To_core_PodStatus`).
 */
export function mirrorAddresses(pod: Pod): void {
  const status = statusOf(pod);
  const ip = status.podIP ?? '';
  const first = status.podIPs?.[0]?.ip ?? '';
  if (ip !== '' && ip !== first) status.podIPs = [{ ip }];
  if (ip === '' && first !== '') status.podIP = first;
}

const generation = optional((value: number, path: Path): FieldError[] =>
  value < 0 ? [invalid(path, value, 'must be a non-negative integer')] : [],
);
const conditionType = ({ type = '' }: Writable<v1.PodCondition>, path: Path): FieldError[] =>
  systemConditions.has(type) ? [] : qualified(type, path.child('Type'));
const conditions = members<v1.PodStatus>({
  conditions: each<Writable<v1.PodCondition>>(members<v1.PodCondition>({ observedGeneration: generation }), conditionType),
});
const ofGeneration = members<v1.PodStatus>({ observedGeneration: generation });

function validateStatus(pod: Pod, old: Pod): Found {
  const [status, before] = [statusOf(pod), statusOf(old)];
  const spec = specOf(pod);
  return inOrder(
    conditions(status, statusPath, pod),
    nominated(status, before),
    ofGeneration(status, statusPath, pod),
    (status.qosClass ?? '') === (before.qosClass ?? '')
      ? []
      : [invalid(statusPath.child('qosClass'), status.qosClass ?? '', 'field is immutable')],
    (['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const).flatMap((list) =>
      validateTransitions(status, before, specOf(old), list),
    ),
    validateClaimStatuses(status, spec),
    validateAddresses(status, before, 'podIPs'),
    validateHostAddresses(status, before),
    users(spec.os?.name ?? '')(status, statusPath, pod),
    inOrder(...statusLists.map(([list, containers]) => validateAllocated(status, list, containers, spec))),
    images(status, statusPath, pod),
  );
}

const nominated = ({ nominatedNodeName: name = '' }: Status, before: Status): FieldError[] =>
  name === '' || name === before.nominatedNodeName ? [] : dnsSubdomain(name, statusPath.child('nominatedNodeName'));

const statusLists = [
  ['containerStatuses', 'containers'],
  ['initContainerStatuses', 'initContainers'],
  ['ephemeralContainerStatuses', null],
] as const;
const inStatuses = (rule: Rule<ContainerStatus>): Rule<Status> =>
  members<v1.PodStatus>({ containerStatuses: each(rule), initContainerStatuses: each(rule), ephemeralContainerStatuses: each(rule) });

const idMax = 2_147_483_647;
const id: Rule<number | undefined> = (value, path) => inRange(value ?? 0, 0, idMax, path);
const linuxUser = members<v1.LinuxContainerUser>({ uid: id, gid: id, supplementalGroups: each(id) });
const notOnWindows = forbiddenAs('cannot be set for a windows pod');

/** The reference reports it next to its member. */
const ofUser = (rule: Rule<Writable<v1.LinuxContainerUser> | undefined>): Rule<Status> =>
  inStatuses(({ user }, path, owner) => (isSet(user?.linux) ? rule(user.linux, path.child('linux'), owner) : []));
const [linuxUsers, windowsUsers, otherUsers] = [ofUser(linuxUser), ofUser(notOnWindows), ofUser(() => [])];
const users = (os: string): Rule<Status> => (os === 'windows' ? windowsUsers : os === 'linux' || os === '' ? linuxUsers : otherUsers);

const ofClaim = 'claim:';
const health = members<v1.ResourceStatus>({
  resources: distinct<Writable<v1.ResourceHealth>>('resourceID', (once) =>
    all<Writable<v1.ResourceHealth>>(members<v1.ResourceHealth>({ health: oneOf('Healthy', 'Unhealthy', 'Unknown') }), once),
  ),
});

function validateAllocated(
  status: Status,
  list: (typeof statusLists)[number][0],
  containers: 'containers' | 'initContainers' | null,
  spec: Writable<v1.PodSpec>,
): Found {
  const specified = groupedBy(containers === null ? [] : itemsOf(spec[containers]), ({ name = '' }) => name);
  return ofEach(itemsOf(status[list]), ({ name = '', allocatedResourcesStatus }, position) => {
    const path = statusPath.child(list).index(position).child('allocatedResourcesStatus');
    const allocated = itemsOf(allocatedResourcesStatus);
    if (containers === null) return allocated.length === 0 ? [] : [forbidden(path, 'must not be specified in container status')];
    const container = specified.get(name)?.[0];
    return ofEach(allocated, (resource, index) =>
      inOrder(
        container === undefined ? [] : validateAllocatedName(resource.name ?? '', container, path.index(index).child('name')),
        health(resource, path.index(index), allocated),
      ),
    );
  });
}

/** An unknown container is accepted. */
function validateAllocatedName(name: string, { resources }: Writable<v1.Container>, path: Path): FieldError[] {
  if (!name.startsWith(ofClaim))
    return Object.hasOwn(resources?.requests ?? {}, name)
      ? []
      : [invalid(path, name, "must match one of the container's resource requests")];
  const claimed = itemsOf(resources?.claims).map(({ name = '', request = '' }) => [name, request].filter((part) => part !== '').join('/'));
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

const imageReference = all<string | undefined>(requiredAs('imageRef must not be empty'), optional(maxBytes(256)));
/** The reference reports it next to its member. */
const mountedImage: Rule<Writable<v1.VolumeMountStatus>> = ({ volumeStatus }, path, owner) =>
  isSet(volumeStatus?.image)
    ? imageReference(volumeStatus.image.imageRef, path.child('volumeStatus', 'imageVolumeStatus', 'imageRef'), owner)
    : [];
const images = on('ImageVolumeWithDigest', inStatuses(members<v1.ContainerStatus>({ volumeMounts: each(mountedImage) })));

/** A terminated container that is not restarted cannot run. */
function validateTransitions(
  status: Status,
  before: Status,
  spec: Writable<v1.PodSpec>,
  list: (typeof statusLists)[number][0],
): FieldError[] {
  const restartPolicy = list === 'ephemeralContainerStatuses' ? 'Never' : (spec.restartPolicy ?? '');
  if (restartPolicy === 'Always') return [];
  const restarted = new Set(
    itemsOf(spec.initContainers)
      .filter((container) => container.restartPolicy === 'Always')
      .map(({ name = '' }) => name),
  );
  const running = groupedBy(
    itemsOf(status[list]).filter(({ state }) => !isSet(state?.terminated)),
    ({ name = '' }) => name,
  );
  return itemsOf(before[list]).flatMap(({ name = '', state }, position) => {
    const end = state?.terminated;
    if (
      !isSet(end) ||
      (Number(end.exitCode ?? 0) !== 0 && restartPolicy === 'OnFailure') ||
      (list === 'initContainerStatuses' && restarted.has(name))
    )
      return [];
    return (running.get(name) ?? []).map(() =>
      forbidden(statusPath.child(list).index(position).child('state'), 'may not be transitioned to non-terminated state'),
    );
  });
}

/** Existing addresses stay valid. */
function validateAddresses(status: Status, before: Status, list: 'podIPs' | 'hostIPs'): FieldError[] {
  const path = statusPath.child(list);
  const ipsOf = (of: Status): string[] => itemsOf<readonly { ip?: string }[] | undefined>(of[list]).map(({ ip = '' }) => ip);
  const [ips, known] = [ipsOf(status), new Set(ipsOf(before))];
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

function validateHostAddresses(status: Status, before: Status): FieldError[] {
  const addresses = itemsOf(status.hostIPs);
  if (addresses.length === 0) return [];
  const first = addresses[0]?.ip ?? '';
  return [
    ...(first === (status.hostIP ?? '')
      ? []
      : [invalid(statusPath.child('hostIPs').index(0).child('ip'), first, 'must be equal to `hostIP`')]),
    ...validateAddresses(status, before, 'hostIPs'),
  ];
}

export const podStatus: SubresourceRules<Pod> = {
  prepare(pod, old) {
    for (const member of ['deletionTimestamp', 'ownerReferences'] as const) restoreMember(pod.metadata, old.metadata, member);
    const status = statusOf(pod);
    if ((status.qosClass ?? '') === '') status.qosClass = statusOf(old).qosClass ?? '';
    pod.status = status;
  },
  resets: ['spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences'],
  review: ['objectMetaUpdate', (pod, old) => validatePodAnnotationsUpdate(pod, old, annotations), validateStatus],
};
