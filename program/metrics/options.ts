import { isObject } from '../../api/json/json.js';
import { readDocument } from '../files/configuration.js';
import type { CommonOptions } from '../flags/bothPrograms.js';
import { metricLabels } from '../flags/checks.js';
import { quotedPairs } from '../flags/quotedPairs.js';
import type { MetricChoice } from './chosenMetrics.js';
import { binaryMinor } from '../features/gates.js';

/** Reads the file named by an option; throws its errors. */
export function metricChoice(options: CommonOptions): MetricChoice {
  const file = options['allow-metric-labels-manifest'];
  const fromFlag = options['allow-metric-labels']
    .flatMap(quotedPairs)
    .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const);
  const shown = options['show-hidden-metrics-for-version'];
  return {
    disabled: options['disabled-metrics'],
    allowedLabels: new Map([...(file === null ? [] : labelsIn(file)), ...fromFlag].map(([key, values]) => [key, valuesOf(values)])),
    hiddenShownFor: shown === null ? null : Number(shown.split('.')[1]),
  };
}

const valuesOf = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .replace(/^(['"])(.*)\1$/, '$2')
      .split(',')
      .map((value) => value.trim()),
  );

const option = '--allow-metric-labels-manifest';

function labelsIn(file: string): (readonly [string, string])[] {
  const document = readDocument(file, option);
  if (!isObject(document)) throw new Error(`${option}: ${file} must hold an object such as {"metric,label": "value,value"}`);
  return Object.entries(document).map(([key, values]) => {
    const wrong = typeof values === 'string' ? metricLabels(`${key}=${values}`) : 'a text with values and commas between them';
    if (wrong !== null) throw new Error(`${option}: ${file}: the value of ${JSON.stringify(key)} must be ${wrong}`);
    return [key, String(values)] as const;
  });
}

/** Only metrics hidden in the version before can be shown: older ones are gone. */
export function hiddenMetricsProblem(options: CommonOptions): string | null {
  const shown = options['show-hidden-metrics-for-version'];
  const previous = `1.${binaryMinor - 1}`;
  return shown === null || shown === previous
    ? null
    : `--show-hidden-metrics-for-version=${shown} cannot be: only ${previous}, the version before this one, shows anything`;
}
