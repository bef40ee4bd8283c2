import type { ControllerEnvironment } from './client/controller.js';
import type { ControllerManagerOptions } from './options/read.js';

/** What the controllers of this program are given, beyond what any controller needs. */
export interface ManagerEnvironment extends ControllerEnvironment {
  readonly options: ControllerManagerOptions;
  /** Authorities of the API server, in PEM; null where nobody says. */
  readonly rootCa: string | null;
}
