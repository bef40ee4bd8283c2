import { release } from '../../program/version.js';
import type { Fairness } from '../fairness/fairness.js';
import { dumpPage } from '../fairness/pages.js';
import { writeText } from '../../program/port/errors.js';
import type { ProcessPages } from '../../program/port/processPages.js';
import type { DebugPages } from '../../program/profiles/pages.js';
import { flagValues } from '../../program/zpages.js';
import { apiServerFlags, type ApiServerOptions } from '../options/flags.js';
import { emulatedMinor } from '../../program/features/emulation.js';
import { featuresOf } from '../../program/features/options.js';

interface PagesOptions {
  readonly options: ApiServerOptions;
  readonly debug: DebugPages | null;
  readonly indicators: ProcessPages['indicators'];
  readonly fairness: Fairness | null;
}

/** Paths that `/statusz` lists besides those of features. */
const paths = ['/healthz', '/livez', '/metrics', '/readyz', '/statusz', '/version'];

export function processPages({ options, debug, indicators, fairness }: PagesOptions): ProcessPages {
  const features = featuresOf(options);
  const hasFlagz = features.enabled('ComponentFlagz');
  return {
    component: 'apiserver',
    hasCbor: features.enabled('CBORServingAndStorage'),
    debug,
    others: (exchange) => {
      const page = fairness === null ? null : dumpPage(exchange.info.path, exchange.query, fairness);
      if (page !== null) writeText(exchange, 200, page);
      return Promise.resolve(page !== null);
    },
    indicators,
    flags: hasFlagz ? flagValues(apiServerFlags, options) : null,
    facts: features.enabled('ComponentStatusz')
      ? () => ({
          component: 'apiserver',
          startedAt: performance.timeOrigin,
          upMs: performance.now(),
          binaryVersion: release.slice(1),
          emulationVersion: `1.${emulatedMinor(options)}`,
          runtime: `node ${process.version}`,
          paths: hasFlagz ? ['/flagz', ...paths] : paths,
        })
      : null,
  };
}
