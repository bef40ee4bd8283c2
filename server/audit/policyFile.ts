import { readDocument, refuseConfiguration } from '../../program/files/configuration.js';
import { policyKind, readPolicy, type AuditPolicy } from './policy.js';

/** Reads a policy in YAML or JSON. Throws with the option, the file and all errors; `ignored` receives unknown members. */
export function readPolicyFile(file: string, ignored: (members: readonly string[]) => void = () => undefined): AuditPolicy {
  const result = readPolicy(readDocument(file, policyKind.option));
  if (!result.ok) return refuseConfiguration(file, policyKind.option, result.problems);
  if (result.ignored.length > 0) ignored(result.ignored);
  return result.policy;
}
