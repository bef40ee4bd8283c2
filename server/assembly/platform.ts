import { timeText } from '../../api/time.js';
import type { Features } from '../../program/features/chosen.js';
import { featuresOf } from '../../program/features/options.js';
import type { Logger } from '../../program/log/logger.js';
import type { Metrics } from '../http/metrics.js';
import type { ApiServerOptions } from '../options/flags.js';
import { Parts } from './parts.js';

export interface Platform {
  readonly options: ApiServerOptions;
  readonly features: Features;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Components to stop, added in start order. */
  readonly parts: Parts;
  /** RFC 3339 with seconds. */
  readonly now: () => string;
}

/** Makes the platform of one API, with no components and the machine's clock. */
export function platformOf({ options, metrics, log }: Pick<Platform, 'options' | 'metrics' | 'log'>): Platform {
  return { options, features: featuresOf(options), metrics, log, parts: new Parts(log), now: () => timeText(Date.now()) };
}

/** Logs failures at `level` under the name of a component. The result suits members `report`. */
export function reporter({ log }: Pick<Platform, 'log'>, component: string, level: 'warn' | 'error', message: string) {
  return (name: string, error: unknown): void => {
    log.named(component)[level](message, { name, error });
  };
}
