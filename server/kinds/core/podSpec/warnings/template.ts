import type { JsonObject, JsonValue } from '../../../../../api/object.js';
import { objectAt, objectsIn } from '../../../../../api/json/defaulting.js';
import { itemsOf, membersOf, textAt } from '../../../../../api/json/members.js';
import { Path } from '../../../../registry/validation/field.js';
import { addressWarnings } from '../../../../registry/validation/spelling.js';
import { fractionalBytes } from './amounts.js';
import { containerWarnings, placedContainers, seccompPodAnnotation, seccompText } from './containers.js';
import { overlappingPaths } from './paths.js';
import { nodeWarnings, podAffinityWarnings } from './placement.js';
import { portNameWarnings, portWarnings } from './ports.js';
import { volumeWarnings } from './volumes.js';
import { specOf } from '../../../parts.js';

/** Annotations that preceded fields. */
const deprecatedAnnotations: readonly (readonly [key: string, text: string])[] = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
];

/** Warns about valid but doubtful settings; `path` is that of the template. */
export const templateWarnings = (template: JsonValue | undefined, path: Path): string[] => warningsOf(membersOf(template), path, true);

/** The same for a pod. */
export const podWarnings = (pod: JsonObject): string[] => warningsOf(pod, Path.root, false);

function warningsOf(holder: JsonObject, path: Path, ofTemplate: boolean): string[] {
  const spec = specOf(holder);
  const annotations = objectAt(objectAt(holder, 'metadata') ?? {}, 'annotations') ?? {};
  const annotationsPath = path.child('metadata', 'annotations');
  const at = path.child('spec');
  const security = objectAt(spec, 'securityContext') ?? {};
  const containers = placedContainers(spec, at);
  const said = (key: string, text: string): string[] => (Object.hasOwn(annotations, key) ? [`${annotationsPath.key(key)}: ${text}`] : []);
  const surroundings = { annotations, annotationsPath, ofTemplate, podHasAppArmor: objectAt(security, 'appArmorProfile') !== null };
  return [
    ...nodeWarnings(spec, at),
    ...deprecatedAnnotations.flatMap(([key, text]) => said(key, text)),
    ...volumeWarnings(spec, at),
    ...overlappingPaths(spec),
    ...repeated(spec, 'hostAliases', 'ip', at),
    ...spellingWarnings(spec, at),
    ...repeated(spec, 'imagePullSecrets', 'name', at),
    ...unnamedSecrets(spec, at),
    ...['memory', 'ephemeral-storage'].flatMap((resource) =>
      fractionalBytes(objectAt(spec, 'overhead') ?? {}, resource, at.child('overhead')),
    ),
    ...(objectAt(security, 'seccompProfile') === null ? said(seccompPodAnnotation, seccompText) : []),
    ...containers.flatMap((placed) => containerWarnings(placed, surroundings)),
    ...portWarnings(containers),
    ...portNameWarnings(containers),
    ...(Number(spec['terminationGracePeriodSeconds'] ?? 0) < 0
      ? [`${at.child('terminationGracePeriodSeconds')}: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...podAffinityWarnings(spec, at),
  ];
}

const spellingWarnings = (spec: JsonObject, path: Path): string[] => [
  ...objectsIn(spec, 'hostAliases').flatMap((alias, position) =>
    addressWarnings(textAt(alias, 'ip'), path.child('hostAliases').index(position).child('ip')),
  ),
  ...itemsOf((objectAt(spec, 'dnsConfig') ?? {})['nameservers']).flatMap((server, position) =>
    addressWarnings(String(server), path.child('dnsConfig', 'nameservers').index(position)),
  ),
];

function repeated(spec: JsonObject, list: string, member: string, path: Path): string[] {
  const seen = new Set<string>();
  return objectsIn(spec, list).flatMap((item, position) => {
    const value = textAt(item, member);
    const again = seen.has(value);
    seen.add(value);
    return again ? [`${path.child(list).index(position).child(member)}: duplicate ${member} ${JSON.stringify(value)}`] : [];
  });
}

const unnamedSecrets = (spec: JsonObject, path: Path): string[] =>
  objectsIn(spec, 'imagePullSecrets').flatMap((secret, position) =>
    textAt(secret, 'name') === '' ? [`${path.child('imagePullSecrets').index(position).child('name')}: invalid empty name ""`] : [],
  );
