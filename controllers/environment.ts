import type { Api } from './client/api.js';
import type { ControllerEnvironment } from './client/controller.js';
import type { CloudProvider } from './cloud/provider.js';
import type { Measures } from './measures.js';
import type { SwitchingFeature } from './options/features.js';
import type { ControllerManagerOptions } from './options/flags.js';

/** What the controllers of this program are given, beyond what any controller needs. */
export interface ManagerEnvironment extends ControllerEnvironment {
  /** The server as the manager itself, which may watch everything: for informers of a controller's own, where the shared ones do not fit. */
  readonly watchApi: Api;
  readonly measures: Measures;
  /** The cloud that the cluster is in; null for none. */
  readonly cloud: CloudProvider | null;
  readonly options: ControllerManagerOptions;
  /** Whether a feature is switched on. */
  readonly isOn: (feature: SwitchingFeature) => boolean;
  /** Authorities of the API server, in PEM; null where nobody says. */
  readonly rootCa: string | null;
}
