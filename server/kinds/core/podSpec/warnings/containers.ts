import type { JsonObject } from '../../../../../api/object.js';
import { objectAt, objectsIn } from '../../../../../api/json/defaulting.js';
import { textAt } from '../../../../../api/json/members.js';
import type { Path } from '../../../../registry/validation/field.js';
import { fractionalBytes } from './amounts.js';

export const seccompPodAnnotation = 'seccomp.security.alpha.kubernetes.io/pod';
export const seccompContainerAnnotation = 'container.seccomp.security.alpha.kubernetes.io/';
export const apparmorAnnotation = 'container.apparmor.security.beta.kubernetes.io/';
export const seccompText = 'non-functional in v1.27+; use the "seccompProfile" field instead';
export const apparmorText = 'deprecated since v1.30; use the "appArmorProfile" field instead';

const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const;

export interface Placed {
  readonly list: (typeof lists)[number];
  readonly container: JsonObject;
  readonly path: Path;
}

export const placedContainers = (spec: JsonObject, path: Path): Placed[] =>
  lists.flatMap((list) =>
    objectsIn(spec, list).map((container, position) => ({ list, container, path: path.child(list).index(position) })),
  );

/** The pod's facts that warnings about a container need. */
export interface ContainerSurroundings {
  readonly annotations: JsonObject;
  readonly annotationsPath: Path;
  /** AppArmor annotations of pods become fields, with a separate warning. */
  readonly ofTemplate: boolean;
  readonly podHasAppArmor: boolean;
}

export function containerWarnings(
  { container, path }: Placed,
  { annotations, annotationsPath, ofTemplate, podHasAppArmor }: ContainerSurroundings,
): string[] {
  const name = textAt(container, 'name');
  const security = objectAt(container, 'securityContext') ?? {};
  const said = (key: string, text: string): string[] => (Object.hasOwn(annotations, key) ? [`${annotationsPath.key(key)}: ${text}`] : []);
  return [
    ...(objectAt(security, 'seccompProfile') === null ? said(`${seccompContainerAnnotation}${name}`, seccompText) : []),
    ...(ofTemplate && !podHasAppArmor && objectAt(security, 'appArmorProfile') === null
      ? said(`${apparmorAnnotation}${name}`, apparmorText)
      : []),
    ...amountWarnings(objectAt(container, 'resources') ?? {}, path.child('resources')),
    ...environmentWarnings(container, path.child('env')),
  ];
}

const amountWarnings = (resources: JsonObject, path: Path): string[] =>
  ['memory', 'ephemeral-storage'].flatMap((resource) =>
    ['limits', 'requests'].flatMap((list) => fractionalBytes(objectAt(resources, list) ?? {}, resource, path.child(list))),
  );

/** A second definition of a variable may extend the first (`X=$(X):more`). */
function environmentWarnings(container: JsonObject, path: Path): string[] {
  const names = new Set<string>();
  return objectsIn(container, 'env').flatMap((variable, position) => {
    const name = textAt(variable, 'name');
    const value = textAt(variable, 'value');
    const self = `$(${name})`;
    const repeated = names.has(name);
    names.add(name);
    const hides = objectAt(variable, 'valueFrom') !== null || value === self || !value.includes(self);
    return repeated && hides
      ? [`${path.index(position)}: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`]
      : [];
  });
}
