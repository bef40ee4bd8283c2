import { closest } from '../flags/suggest.js';
import { gatesOf, wholeStages, type FeatureGate, type Gate } from './gates.js';

/** Explicit settings win over whole stages, which win over defaults. */
export interface Features {
  enabled(name: FeatureGate): boolean;
  /** Every known gate, and the two for whole stages, by name. */
  readonly all: readonly (Omit<Gate, 'name'> & { readonly name: string; readonly enabled: boolean })[];
}

type GateSettings = Readonly<Record<string, string>>;

/** Reads `--feature-gates` as release 1.`minor` understands it. Pure. */
export function chooseFeatures(settings: GateSettings, minor: number): Features {
  const gates = gatesOf(minor);
  const say = (name: string): boolean | null => (Object.hasOwn(settings, name) ? settings[name] === 'true' : null);
  const wholeStage = ({ stage, locked }: Gate): boolean | null => {
    const group = locked ? undefined : [...wholeStages].find(([, each]) => each === stage)?.[0];
    return group === undefined ? null : say(group);
  };
  const on = new Map([...gates.values()].map((gate) => [gate.name, say(gate.name) ?? wholeStage(gate) ?? gate.byDefault]));
  const groups = [...wholeStages].map(([name, stage]) => ({ name, stage, byDefault: false, locked: false, enabled: say(name) ?? false }));
  return {
    enabled: (name) => on.get(name) ?? false,
    all: [...groups, ...[...gates.values()].map((gate) => ({ ...gate, enabled: on.get(gate.name) ?? false }))].sort((a, b) =>
      a.name < b.name ? -1 : 1,
    ),
  };
}

/** Returns the errors of `--feature-gates`, one sentence each. Pure. */
export function featureProblems(settings: GateSettings, minor: number): string[] {
  const gates = gatesOf(minor);
  return Object.entries(settings).flatMap(([name, value]) => {
    if (wholeStages.has(name)) return [];
    const gate = gates.get(name);
    if (gate === undefined)
      return [`--feature-gates: ${JSON.stringify(name)} is no feature of release 1.${minor}${suggestion(name, gates)}`];
    return gate.locked && (value === 'true') !== gate.byDefault
      ? [`--feature-gates: ${name}=${value} cannot be: the feature is locked to ${String(gate.byDefault)}; leave it out`]
      : [];
  });
}

function suggestion(name: string, gates: ReadonlyMap<string, Gate>): string {
  const meant = closest(name, [...gates.keys(), ...wholeStages.keys()]);
  return meant === null ? '; --help lists them' : `; did you mean ${meant}?`;
}

const stageWords: Readonly<Record<Gate['stage'], string>> = { ALPHA: 'ALPHA', BETA: 'BETA', '': 'GA', DEPRECATED: 'DEPRECATED' };

/** Omits locked gates. */
export const gateText = ({ name, stage, byDefault }: Gate): string =>
  `${name}=true|false (${stageWords[stage]} - default=${String(byDefault)})`;
