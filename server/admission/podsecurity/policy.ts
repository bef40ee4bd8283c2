import { invalid, Path, type FieldError } from '../../registry/validation/field.js';

/** The standard of a namespace for each mode. */

export const levels = ['privileged', 'baseline', 'restricted'] as const;
export type Level = (typeof levels)[number];
export const modes = ['enforce', 'audit', 'warn'] as const;
export type Mode = (typeof modes)[number];

/** A level as of minor version 1.x; Infinity is the latest. */
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

export const levelOf = (text: string): Level | null => levels.find((level) => level === text) ?? null;
export function minorOf(text: string): number | null {
  if (text === 'latest') return Infinity;
  const minor = /^v1\.(0|[1-9][0-9]*)$/.exec(text)?.[1];
  return minor === undefined ? null : Number(minor);
}

/** Reads a namespace's labels. Invalid values are enforced strictly, but neither audited nor warned of. */
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

/** Stricter enforcement raises the warnings too: otherwise controllers would not show why pods are missing. */
function warningsBy(labels: Readonly<Record<string, string>>, enforce: Standard, warn: Standard): Standard {
  if (
    labels[`${label}warn`] !== undefined ||
    labels[`${label}enforce`] === undefined ||
    strictness(enforce.level) <= strictness(warn.level)
  )
    return warn;
  return { level: enforce.level, minor: labels[`${label}warn-version`] === undefined ? enforce.minor : warn.minor };
}

/** Returns ineffective labels of an exempt namespace: `enforce=baseline:latest`; empty for none. */
export function ignoredPolicy(labels: Readonly<Record<string, string>>, policy: Policy): string {
  const asked = (mode: Mode): boolean => labels[`${label}${mode}`] !== undefined || labels[`${label}${mode}-version`] !== undefined;
  return modes
    .filter((mode) => policy[mode].level !== 'privileged' && asked(mode))
    .map((mode) => `${mode}=${textOf(policy[mode])}`)
    .join(', ');
}
