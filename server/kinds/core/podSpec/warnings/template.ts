import { addressWarnings, isSet, itemsOf, membersOf, Path, repeats, specOf, type JsonValue, type Writable } from '../../../language.js';
import type * as v1 from '../../../../../api/types/core/v1.js';
import { fractionalBytes } from './amounts.js';
import { containerWarnings, placedContainers, seccompPodAnnotation, seccompText, type Annotations } from './containers.js';
import { overlappingPaths } from './paths.js';
import { nodeWarnings, podAffinityWarnings } from './placement.js';
import { portNameWarnings, portWarnings } from './ports.js';
import { volumeWarnings } from './volumes.js';

type PodSpec = Writable<v1.PodSpec>;
interface Holder {
  readonly metadata?: { readonly annotations?: Annotations };
  readonly spec?: PodSpec;
}

/** Annotations that preceded fields. */
const deprecatedAnnotations: readonly (readonly [key: string, text: string])[] = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
];

export const templateWarnings = (template: JsonValue | undefined, path: Path): string[] => warningsOf(membersOf(template), path, true);

export const podWarnings = (pod: Holder): string[] => warningsOf(pod, Path.root, false);

function warningsOf(holder: Holder, path: Path, ofTemplate: boolean): string[] {
  const spec = specOf(holder);
  const annotations = holder.metadata?.annotations ?? {};
  const annotationsPath = path.child('metadata', 'annotations');
  const at = path.child('spec');
  const security = spec.securityContext;
  const containers = placedContainers(spec, at);
  const secrets = itemsOf(spec.imagePullSecrets).map(({ name = '' }) => name);
  const secretsPath = at.child('imagePullSecrets');
  const said = (key: string, text: string): string[] => (Object.hasOwn(annotations, key) ? [`${annotationsPath.key(key)}: ${text}`] : []);
  const facts = { annotations, annotationsPath, ofTemplate, podHasAppArmor: isSet(security?.appArmorProfile) };
  return [
    ...nodeWarnings(spec, at),
    ...deprecatedAnnotations.flatMap(([key, text]) => said(key, text)),
    ...volumeWarnings(spec, at),
    ...overlappingPaths(spec),
    ...repeated(
      itemsOf(spec.hostAliases).map(({ ip = '' }) => ip),
      'ip',
      at.child('hostAliases'),
    ),
    ...spellingWarnings(spec, at),
    ...repeated(secrets, 'name', secretsPath),
    ...secrets.flatMap((name, position) => (name === '' ? [`${secretsPath.index(position).child('name')}: invalid empty name ""`] : [])),
    ...['memory', 'ephemeral-storage'].flatMap((resource) => fractionalBytes(spec.overhead, resource, at.child('overhead'))),
    ...(isSet(security?.seccompProfile) ? [] : said(seccompPodAnnotation, seccompText)),
    ...containers.flatMap((placed) => containerWarnings(placed, facts)),
    ...portWarnings(containers),
    ...portNameWarnings(containers),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [`${at.child('terminationGracePeriodSeconds')}: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...podAffinityWarnings(spec, at),
  ];
}

const spellingWarnings = (spec: PodSpec, path: Path): string[] => [
  ...itemsOf(spec.hostAliases).flatMap(({ ip = '' }, position) =>
    addressWarnings(ip, path.child('hostAliases').index(position).child('ip')),
  ),
  ...itemsOf(spec.dnsConfig?.nameservers).flatMap((server, position) =>
    addressWarnings(server, path.child('dnsConfig', 'nameservers').index(position)),
  ),
];

function repeated(values: readonly string[], member: string, path: Path): string[] {
  const isRepeated = repeats(values);
  return values.flatMap((value, position) =>
    isRepeated(position) ? [`${path.index(position).child(member)}: duplicate ${member} ${JSON.stringify(value)}`] : [],
  );
}
