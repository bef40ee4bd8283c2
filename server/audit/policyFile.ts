import { readConfiguration, refuseConfiguration } from '../../program/files/configuration.js';
import { policyKind, readPolicy, type AuditPolicy } from './policy.js';

/** Reads a policy in YAML or JSON. Throws with the option, the file and all errors. */
export function readPolicyFile(file: string): AuditPolicy {
  const result = readPolicy(readConfiguration(file, policyKind));
  if (result.ok) return result.policy;
  return refuseConfiguration(file, policyKind.option, result.problems);
}
