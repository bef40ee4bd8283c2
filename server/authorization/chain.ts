import type { Live } from '../../program/files/liveFile.js';
import type { DecisionCount } from './metrics.js';
import { firstDecision, type Authorizer, type Decision } from './authorizer.js';
import { masters } from './builtin.js';
import type { AuthorizerSettings } from './configuration.js';
import { joinRules, type RuleResolver } from './rules.js';

export interface Mode {
  readonly authorize: Authorizer;
  /** Null for a mode without rules to list, which allows nothing. */
  readonly rules: RuleResolver | null;
  readonly synced?: Promise<unknown>;
  readonly stop?: () => void;
}

export interface AuthorizerChain {
  readonly authorize: Authorizer;
  readonly rules: RuleResolver;
  /** Settles once the modes that follow storage are up to date. */
  readonly synced: Promise<unknown>;
  stop(): void;
}

/** Builds the configured modes in order. Unchanged modes keep their state across settings. */
export function createAuthorizerChain(
  settings: Live<readonly AuthorizerSettings[]>,
  make: (link: AuthorizerSettings) => Mode,
  countOf: CountOf = uncounted,
): AuthorizerChain {
  let modes: ReadonlyMap<string, Mode> = new Map();
  let authorize: Authorizer = masters;
  let rules: RuleResolver = joinRules([]);
  const apply = (links: readonly AuthorizerSettings[]): void => {
    const before = modes;
    modes = new Map(links.map((link) => [keyOf(link), before.get(keyOf(link)) ?? counted(make(link), countOf(link.type, link.name))]));
    // Administrators come first, whatever the chain says.
    authorize = firstDecision([masters, ...[...modes.values()].map((mode) => mode.authorize)]);
    rules = joinRules([...modes.values()].flatMap((mode) => mode.rules ?? []));
    for (const [key, mode] of before) if (!modes.has(key)) mode.stop?.();
  };
  apply(settings.current);
  settings.onChange(apply);
  return {
    authorize: (attributes) => authorize(attributes),
    rules: (user, namespace) => rules(user, namespace),
    synced: Promise.all([...modes.values()].map((mode) => mode.synced ?? Promise.resolve())),
    stop: () => {
      for (const mode of modes.values()) mode.stop?.();
    },
  };
}

type CountOf = (type: string, name: string) => DecisionCount;
const uncounted: CountOf = () => ({ allowed: 0, denied: 0 });

function counted(mode: Mode, count: DecisionCount): Mode {
  const note = (decision: Decision): Decision => {
    if (decision.decision === 'allow') count.allowed++;
    else if (decision.decision === 'deny') count.denied++;
    return decision;
  };
  return {
    ...mode,
    authorize: (attributes) => {
      const answer = mode.authorize(attributes);
      return answer instanceof Promise ? answer.then(note) : note(answer);
    },
  };
}

const keyOf = ({ type, name, webhook }: AuthorizerSettings): string =>
  webhook === null
    ? type
    : JSON.stringify([type, name, { ...webhook, conditions: webhook.conditions.map(({ expression }) => expression) }]);
