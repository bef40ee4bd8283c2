import { notSupported, qualified, type FieldError, type Path } from '../language.js';

/** The choice of a leader among candidates. */
export const oldestEmulationVersion = 'OldestEmulationVersion';
const strategies = [oldestEmulationVersion];

/** Custom strategies have a domain; others must be known. The reference reports them one level below `path`. */
export function validateLeaseStrategy(strategy: string, path: Path): FieldError[] {
  const at = path.child('strategy');
  if (strategy.includes('/')) return qualified(strategy, at);
  return strategies.includes(strategy) ? [] : [notSupported(at, strategy, strategies)];
}
