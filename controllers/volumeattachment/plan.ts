import { createHash } from 'node:crypto';
import { isTerminating, nameOf, namespaceOf } from '../../api/meta/object.js';
import type {
  AttachedVolume,
  CSIPersistentVolumeSource,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
} from '../../api/types/core/v1.js';
import type { CSIDriver, VolumeAttachment } from '../../api/types/storage/v1.js';
import { isFinished } from '../workloads/podState.js';
import { conditionOf } from '../workloads/podState.js';

const managedAnnotation = 'volumes.kubernetes.io/controller-managed-attach-detach';
const outOfService = 'node.kubernetes.io/out-of-service';
/** Time for an unhealthy node to release a volume. */
export const forcedAfterMs = 6 * 60_000;

type Handle = Pick<CSIPersistentVolumeSource, 'driver' | 'volumeHandle'>;

/** Attachers know this name. */
export const attachmentName = ({ volumeHandle, driver }: Handle, node: string): string =>
  `csi-${createHash('sha256').update(`${volumeHandle}${driver}${node}`).digest('hex')}`;
/** Returns a volume's name in a node's status, as written by kubelets. */
const volumeText = ({ driver, volumeHandle }: Handle): string => `kubernetes.io/csi/${driver}^${volumeHandle}`;

export interface World {
  readonly node: Node | undefined;
  readonly nodeName: string;
  readonly pods: readonly Pod[];
  readonly attachments: readonly VolumeAttachment[];
  readonly claim: (key: string) => PersistentVolumeClaim | undefined;
  readonly volume: (name: string) => PersistentVolume | undefined;
  readonly driver: (name: string) => CSIDriver | undefined;
  readonly elsewhere: (volume: string) => readonly string[];
  /** Returns since when no pod needs an attachment, on the clock of `now`. */
  readonly unneededSince: (attachment: string) => number | undefined;
  readonly force: boolean;
  readonly now: number;
}

export interface Refused {
  readonly pod: Pod;
  readonly message: string;
}

export interface AttachPlan {
  readonly create: readonly VolumeAttachment[];
  readonly remove: readonly { readonly attachment: VolumeAttachment; readonly forced: 'timeout' | 'out-of-service' | null }[];
  /** Names of unneeded attachments not released by the node. */
  readonly unneeded: readonly string[];
  readonly refused: readonly Refused[];
  /** The attached volumes for the node's status; null if unchanged. */
  readonly attached: readonly AttachedVolume[] | null;
}

export function attachPlan(world: World): AttachPlan {
  const wanted = wantedVolumes(world);
  const present = new Map(world.attachments.map((attachment) => [nameOf(attachment), attachment]));
  const create: VolumeAttachment[] = [];
  const refused: Refused[] = [];
  for (const [name, { volume, pod }] of wanted) {
    if (present.has(name)) continue;
    const others = world.elsewhere(nameOf(volume));
    if (others.length > 0 && onlyOneNode(volume))
      refused.push({
        pod,
        message: `Multi-Attach error for volume "${nameOf(volume)}" Volume is already used by node ${others.join(', ')}`,
      });
    else create.push(attachment(name, volume, world.nodeName));
  }
  const idle = world.attachments.filter((each) => !wanted.has(nameOf(each)) && !isTerminating(each) && isOurs(each, world));
  const judgedIdle = idle.map((each) => ({ attachment: each, may: mayDetach(each, world) }));
  return {
    create,
    refused,
    remove: judgedIdle.flatMap(({ attachment: each, may }) =>
      may === 'wait' ? [] : [{ attachment: each, forced: may === 'free' ? null : may }],
    ),
    unneeded: idle.map(nameOf),
    attached: attachedVolumes(world),
  };
}

function wantedVolumes({
  node,
  nodeName,
  pods,
  claim,
  volume: volumeNamed,
  driver,
}: World): ReadonlyMap<string, { volume: PersistentVolume; pod: Pod }> {
  const wanted = new Map<string, { volume: PersistentVolume; pod: Pod }>();
  if (node?.metadata.annotations?.[managedAnnotation] !== 'true') return wanted;
  for (const pod of pods) {
    if (isFinished(pod)) continue;
    for (const source of pod.spec?.volumes ?? []) {
      const claimName = source.persistentVolumeClaim?.claimName ?? (source.ephemeral ? `${nameOf(pod)}-${source.name}` : undefined);
      const bound = claimName === undefined ? undefined : claim(`${namespaceOf(pod)}/${claimName}`);
      const volume = bound?.status?.phase === 'Bound' ? volumeNamed(bound.spec?.volumeName ?? '') : undefined;
      const csi = volume?.spec?.csi;
      if (!volume || !csi || driver(csi.driver)?.spec.attachRequired === false) continue;
      const name = attachmentName(csi, nodeName);
      if (!wanted.has(name)) wanted.set(name, { volume, pod });
    }
  }
  return wanted;
}

const attachment = (name: string, volume: PersistentVolume, nodeName: string): VolumeAttachment => ({
  metadata: { name },
  spec: { attacher: volume.spec?.csi?.driver ?? '', nodeName, source: { persistentVolumeName: nameOf(volume) } },
});

const onlyOneNode = ({ spec }: PersistentVolume): boolean =>
  (spec?.accessModes ?? []).every((mode) => mode === 'ReadWriteOnce' || mode === 'ReadWriteOncePod');

function textOf({ spec }: VolumeAttachment, { volume }: Pick<World, 'volume'>): string | null {
  const csi = volume(spec.source.persistentVolumeName ?? '')?.spec?.csi;
  return csi ? volumeText(csi) : null;
}

/** Attachments of other clients, under other names, belong to them. */
function isOurs({ metadata, spec }: VolumeAttachment, { volume }: Pick<World, 'volume'>): boolean {
  const csi = volume(spec.source.persistentVolumeName ?? '')?.spec?.csi;
  return csi ? metadata.name === attachmentName(csi, spec.nodeName) : (metadata.name ?? '').startsWith('csi-');
}

function mayDetach(each: VolumeAttachment, world: World): 'free' | 'wait' | 'timeout' | 'out-of-service' {
  const { node } = world;
  const text = textOf(each, world);
  if (!node || text === null || !node.status?.volumesInUse?.includes(text)) return 'free';
  const isWell = conditionOf(node.status.conditions, 'Ready')?.status === 'True';
  if (isWell) return 'wait';
  if (node.spec?.taints?.some(({ key }) => key === outOfService)) return 'out-of-service';
  const since = world.unneededSince(nameOf(each)) ?? world.now;
  return world.force && world.now - since >= forcedAfterMs ? 'timeout' : 'wait';
}

function attachedVolumes(world: World): readonly AttachedVolume[] | null {
  const { node, attachments } = world;
  if (!node) return null;
  const names = attachments.flatMap((each) => (each.status?.attached && !isTerminating(each) ? (textOf(each, world) ?? []) : [])).sort();
  const before = node.status?.volumesAttached ?? [];
  // Other plugins report their own attachments.
  const others = before.filter(({ name }) => !name.startsWith('kubernetes.io/csi/'));
  const same = before.length - others.length === names.length && names.every((name) => before.some((each) => each.name === name));
  return same ? null : [...others, ...names.map((name) => ({ name, devicePath: '' }))];
}
