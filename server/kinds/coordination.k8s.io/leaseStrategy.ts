import { notSupported, type FieldError, type Path } from '../../registry/validation/field.js';
import { qualified } from '../../registry/validation/values.js';

/** How the leader is picked among candidates. */
export const oldestEmulationVersion = 'OldestEmulationVersion';
const strategies = [oldestEmulationVersion];

/** Strategies of others have a domain; those without are known ones. The reference reports them one level below the member at `path`. */
export function validateLeaseStrategy(strategy: string, path: Path): FieldError[] {
  const at = path.child('strategy');
  if (strategy.includes('/')) return qualified(strategy, at);
  return strategies.includes(strategy) ? [] : [notSupported(at, strategy, strategies)];
}
