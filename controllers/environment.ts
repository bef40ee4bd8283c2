import type { Api } from './client/api.js';
import type { ControllerEnvironment } from './client/controller.js';
import type { CloudProvider } from './cloud/provider.js';
import type { Measures } from './measures.js';
import type { ManagerGate } from '../program/features/gates.js';
import type { ControllerManagerOptions } from './options/flags.js';

export interface ManagerEnvironment extends ControllerEnvironment {
  /** The API as the manager itself, which may watch everything: for controllers' own informers where shared ones do not fit. */
  readonly watchApi: Api;
  readonly measures: Measures;
  /** The cluster's cloud; null for none. */
  readonly cloud: CloudProvider | null;
  readonly options: ControllerManagerOptions;
  readonly isOn: (feature: ManagerGate) => boolean;
  /** Authorities of the API server, in PEM; null if unknown. */
  readonly rootCa: string | null;
}
