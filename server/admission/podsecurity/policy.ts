import { invalid, Path, type FieldError } from '../../registry/validation/field.js';

/** Which standard the pods of a namespace have to meet, and which of what is found is enforced, recorded or only said. */

export const levels = ['privileged', 'baseline', 'restricted'] as const;
export type Level = (typeof levels)[number];
export const modes = ['enforce', 'audit', 'warn'] as const;
export type Mode = (typeof modes)[number];

/** A level as some minor version 1.x defined it; Infinity stands for the latest. */
export interface Standard {
  readonly level: Level;
  readonly minor: number;
}
export type Policy = Readonly<Record<Mode, Standard>>;

const label = 'pod-security.kubernetes.io/';
const labelsPath = Path.of('metadata', 'labels');
const latest: Standard = { level: 'privileged', minor: Infinity };
export const noPolicy: Policy = { enforce: latest, audit: latest, warn: latest };

export const strictness = (level: Level): number => levels.indexOf(level);
export const sameStandard = (a: Standard, b: Standard): boolean => a.level === b.level && a.minor === b.minor;
export const textOf = ({ level, minor }: Standard): string => `${level}:${minor === Infinity ? 'latest' : `v1.${minor}`}`;

/** Null for what is no level or version. */
export const levelOf = (text: string): Level | null => levels.find((level) => level === text) ?? null;
export function minorOf(text: string): number | null {
  if (text === 'latest') return Infinity;
  const minor = /^v1\.(0|[1-9][0-9]*)$/.exec(text)?.[1];
  return minor === undefined ? null : Number(minor);
}

/** What the labels of a namespace ask for. What cannot be read is enforced strictly, and neither recorded nor said. */
export function policyOf(
  labels: Readonly<Record<string, string>>,
  defaults: Policy,
): { readonly policy: Policy; readonly findings: readonly FieldError[] } {
  const findings: FieldError[] = [];
  const read = (mode: Mode): Standard => {
    const [level, version] = [labels[`${label}${mode}`], labels[`${label}${mode}-version`]];
    if (level !== undefined && levelOf(level) === null)
      findings.push(invalid(labelsPath.key(`${label}${mode}`), level, `must be one of ${levels.join(', ')}`));
    if (version !== undefined && minorOf(version) === null)
      findings.push(invalid(labelsPath.key(`${label}${mode}-version`), version, 'must be "latest" or "v1.x"'));
    return {
      level: level === undefined ? defaults[mode].level : (levelOf(level) ?? (mode === 'enforce' ? 'restricted' : 'privileged')),
      minor: version === undefined ? defaults[mode].minor : (minorOf(version) ?? Infinity),
    };
  };
  const [enforce, audit, warn] = [read('enforce'), read('audit'), read('warn')];
  return { policy: { enforce, audit, warn: warningsBy(labels, enforce, warn) }, findings };
}

/** Who asks to enforce more than is warned of wants to be warned of it too: controllers are not told otherwise why their pods are missing. */
function warningsBy(labels: Readonly<Record<string, string>>, enforce: Standard, warn: Standard): Standard {
  if (
    labels[`${label}warn`] !== undefined ||
    labels[`${label}enforce`] === undefined ||
    strictness(enforce.level) <= strictness(warn.level)
  )
    return warn;
  return { level: enforce.level, minor: labels[`${label}warn-version`] === undefined ? enforce.minor : warn.minor };
}

/** What the labels of an exempt namespace ask for in vain: `enforce=baseline:latest`. Empty when nothing is. */
export function ignoredPolicy(labels: Readonly<Record<string, string>>, policy: Policy): string {
  const asked = (mode: Mode): boolean => labels[`${label}${mode}`] !== undefined || labels[`${label}${mode}-version`] !== undefined;
  return modes
    .filter((mode) => policy[mode].level !== 'privileged' && asked(mode))
    .map((mode) => `${mode}=${textOf(policy[mode])}`)
    .join(', ');
}
