import { release } from './catalogue/version.js';
import type { ProcessPages } from './http/processPages.js';
import type { DebugPages } from './observability/profiles/pages.js';
import type { HealthIndicators } from './observability/slis.js';
import { flagValues } from './observability/zpages.js';
import { apiServerFlags, type ApiServerOptions } from './options/apiserver.js';
import { emulatedMinor } from './options/emulation.js';
import { featuresOf } from './options/features.js';

interface PagesOptions {
  readonly options: ApiServerOptions;
  readonly debug: DebugPages | null;
  readonly indicators: HealthIndicators;
}

/** Paths of the process itself that `/statusz` lists. */
const PATHS = ['/healthz', '/livez', '/metrics', '/readyz', '/version'];

/** What this program tells of itself. */
export function processPages({ options, debug, indicators }: PagesOptions): ProcessPages {
  const features = featuresOf(options);
  return {
    debug,
    indicators: indicators.registry,
    flags: features.enabled('ComponentFlagz') ? flagValues(apiServerFlags, options) : null,
    facts: features.enabled('ComponentStatusz')
      ? () => ({
          startedAt: performance.timeOrigin,
          upMs: performance.now(),
          binaryVersion: release.slice(1),
          emulationVersion: `1.${emulatedMinor(options)}`,
          runtime: `node ${process.version}`,
          paths: PATHS,
        })
      : null,
  };
}
