import { Counter, Gauge, type Registry } from 'prom-client';
import type { VersionInfo } from '../version.js';
import type { Features } from '../features/chosen.js';
import type { ChosenMetrics } from './chosenMetrics.js';

/** Registers metrics about the program itself: its build, its features, and the number of hidden metrics. */
export function exposeProgram(
  registry: Registry,
  { features, version }: { readonly features: Features; readonly version: VersionInfo },
): void {
  const enabled = new Gauge({
    name: 'kubernetes_feature_enabled',
    help: 'Feature gates with their stage: 1 for those that are on.',
    labelNames: ['name', 'stage'],
    registers: [registry],
  });
  for (const { name, stage, enabled: on } of features.all) enabled.set({ name, stage }, on ? 1 : 0);
  const build = new Gauge({
    name: 'kubernetes_build_info',
    help: 'Always 1; its labels tell what the program was built from.',
    labelNames: ['build_date', 'compiler', 'git_commit', 'git_tree_state', 'git_version', 'go_version', 'major', 'minor', 'platform'],
    registers: [registry],
  });
  build.set(
    {
      build_date: version.buildDate,
      compiler: version.compiler,
      git_commit: version.gitCommit,
      git_tree_state: version.gitTreeState,
      git_version: version.gitVersion,
      go_version: version.goVersion,
      major: version.major,
      minor: version.minor,
      platform: version.platform,
    },
    1,
  );
  new Gauge({
    name: 'version_info',
    help: 'Always 1; its labels tell which versions the program is, emulates, and is compatible with.',
    labelNames: ['binary', 'component', 'emulation', 'min_compat'],
    registers: [registry],
  }).set(
    {
      binary: version.gitVersion.replace(/^v/, '').replace(/[-+].*$/, ''),
      component: 'kube',
      emulation: `${version.emulationMajor}.${version.emulationMinor}`,
      min_compat: `${version.minCompatibilityMajor}.${version.minCompatibilityMinor}`,
    },
    1,
  );
  const counts = (registry as Partial<ChosenMetrics>).counts;
  const read = { disabled: () => counts?.disabled ?? 0, hidden: () => counts?.hidden ?? 0, registered: () => counts?.registered ?? 0 };
  const unexpected = async (): Promise<number> => (await (registry as Partial<ChosenMetrics>).unexpectedValues?.()) ?? 0;
  const counter = (name: string, help: string, value: () => number | Promise<number>): void => {
    new Counter({
      name,
      help,
      registers: [registry],
      async collect() {
        const now = await value();
        this.reset();
        this.inc(now);
      },
    });
  };
  counter(
    'cardinality_enforcement_unexpected_categorizations_total',
    'Values of labels that no allow-list of --allow-metric-labels knew.',
    unexpected,
  );
  counter('disabled_metrics_total', 'Metrics that --disabled-metrics has switched off.', read.disabled);
  counter('hidden_metrics_total', 'Metrics that are on their way out and not shown.', read.hidden);
  new Counter({
    name: 'registered_metrics_total',
    help: 'Metrics that are shown.',
    labelNames: ['deprecated_version', 'stability_level'],
    registers: [registry],
    collect() {
      this.reset();
      this.inc({ deprecated_version: '', stability_level: '' }, read.registered());
    },
  });
}
