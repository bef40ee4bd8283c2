import type { Controller } from '../client/controller.js';
import type { ManagerEnvironment } from '../environment.js';

/** API servers check the types of policies themselves, where the expressions are compiled anyway, and write the status: nothing is left to do here. */
export function policyStatusController({ log }: ManagerEnvironment): Controller | null {
  log('info', 'validatingadmissionpolicy-status-controller: API servers do this work themselves');
  return null;
}
