import { Counter, Gauge, type Registry } from 'prom-client';
import type { VersionInfo } from '../version.js';
import type { Features } from '../features/chosen.js';
import type { ChosenMetrics } from './chosenMetrics.js';

export function exposeProgram(
  registry: Registry,
  { features, version }: { readonly features: Features; readonly version: VersionInfo },
): void {
  exposeFeatures(registry, features);
  exposeVersion(registry, version);
  exposeMetricCounts(registry);
}

function exposeFeatures(registry: Registry, features: Features): void {
  const enabled = new Gauge({
    name: 'kubernetes_feature_enabled',
    help: 'Feature gates with their stage: 1 for those that are on.',
    labelNames: ['name', 'stage'],
    registers: [registry],
  });
  for (const { name, stage, enabled: on } of features.all) enabled.set({ name, stage }, on ? 1 : 0);
}

function exposeVersion(registry: Registry, version: VersionInfo): void {
  info(registry, 'kubernetes_build_info', 'Always 1; its labels tell what the program was built from.', {
    build_date: version.buildDate,
    compiler: version.compiler,
    git_commit: version.gitCommit,
    git_tree_state: version.gitTreeState,
    git_version: version.gitVersion,
    go_version: version.goVersion,
    major: version.major,
    minor: version.minor,
    platform: version.platform,
  });
  info(registry, 'version_info', 'Always 1; its labels tell which versions the program is, emulates, and is compatible with.', {
    binary: version.gitVersion.replace(/^v/, '').replace(/[-+].*$/, ''),
    component: 'kube',
    emulation: `${version.emulationMajor}.${version.emulationMinor}`,
    min_compat: `${version.minCompatibilityMajor}.${version.minCompatibilityMinor}`,
  });
}

function info(registry: Registry, name: string, help: string, labels: Readonly<Record<string, string>>): void {
  new Gauge({ name, help, labelNames: Object.keys(labels), registers: [registry] }).set(labels, 1);
}

function exposeMetricCounts(registry: Registry): void {
  const chosen = registry as Partial<ChosenMetrics>;
  const counter = (
    name: string,
    help: string,
    value: () => number | Promise<number>,
    labels: Readonly<Record<string, string>> = {},
  ): void => {
    new Counter({
      name,
      help,
      labelNames: Object.keys(labels),
      registers: [registry],
      async collect() {
        const now = await value();
        this.reset();
        this.inc(labels, now);
      },
    });
  };
  counter(
    'cardinality_enforcement_unexpected_categorizations_total',
    'Values of labels that no allow-list of --allow-metric-labels knew.',
    async () => (await chosen.unexpectedValues?.()) ?? 0,
  );
  counter('disabled_metrics_total', 'Metrics that --disabled-metrics has switched off.', () => chosen.counts?.disabled ?? 0);
  counter('hidden_metrics_total', 'Metrics that are on their way out and not shown.', () => chosen.counts?.hidden ?? 0);
  counter('registered_metrics_total', 'Metrics that are shown.', () => chosen.counts?.registered ?? 0, {
    deprecated_version: '',
    stability_level: '',
  });
}
