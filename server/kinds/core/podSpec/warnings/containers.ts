import type * as v1 from '../../../../../api/types/core/v1.js';
import { isSet, itemsOf, type Path, type Writable } from '../../../language.js';
import { fractionalBytes } from './amounts.js';

export const seccompPodAnnotation = 'seccomp.security.alpha.kubernetes.io/pod';
export const seccompContainerAnnotation = 'container.seccomp.security.alpha.kubernetes.io/';
export const apparmorAnnotation = 'container.apparmor.security.beta.kubernetes.io/';
export const seccompText = 'non-functional in v1.27+; use the "seccompProfile" field instead';
export const apparmorText = 'deprecated since v1.30; use the "appArmorProfile" field instead';

const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const;

type Container = Writable<v1.Container>;
export type Annotations = Readonly<Record<string, string | undefined>>;

export interface Placed {
  readonly list: (typeof lists)[number];
  readonly container: Container;
  readonly path: Path;
}

export const placedContainers = (spec: Writable<v1.PodSpec>, path: Path): Placed[] =>
  lists.flatMap((list) =>
    itemsOf<Container[] | null | undefined>(spec[list]).map((container, position) => ({
      list,
      container,
      path: path.child(list).index(position),
    })),
  );

export interface PodFacts {
  readonly annotations: Annotations;
  readonly annotationsPath: Path;
  /** AppArmor annotations of pods become fields, with a separate warning. */
  readonly ofTemplate: boolean;
  readonly podHasAppArmor: boolean;
}

export function containerWarnings(
  { container: { name = '', securityContext: security, resources, env }, path }: Placed,
  { annotations, annotationsPath, ofTemplate, podHasAppArmor }: PodFacts,
): string[] {
  const said = (key: string, text: string): string[] => (Object.hasOwn(annotations, key) ? [`${annotationsPath.key(key)}: ${text}`] : []);
  return [
    ...(isSet(security?.seccompProfile) ? [] : said(`${seccompContainerAnnotation}${name}`, seccompText)),
    ...(ofTemplate && !podHasAppArmor && !isSet(security?.appArmorProfile) ? said(`${apparmorAnnotation}${name}`, apparmorText) : []),
    ...['memory', 'ephemeral-storage'].flatMap((resource) =>
      (['limits', 'requests'] as const).flatMap((list) => fractionalBytes(resources?.[list], resource, path.child('resources', list))),
    ),
    ...environmentWarnings(itemsOf(env), path.child('env')),
  ];
}

/** A second definition of a variable may extend the first (`X=$(X):more`). */
function environmentWarnings(env: readonly Writable<v1.EnvVar>[], path: Path): string[] {
  const names = new Set<string>();
  return env.flatMap(({ name = '', value = '', valueFrom }, position) => {
    const self = `$(${name})`;
    const repeated = names.has(name);
    names.add(name);
    const hides = isSet(valueFrom) || value === self || !value.includes(self);
    return repeated && hides
      ? [`${path.index(position)}: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`]
      : [];
  });
}
