import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { readPolicy, type AuditPolicy } from './policy.js';

const OPTION = '--audit-policy-file';

/** Reads a policy in YAML or JSON. Throws with the option, the file and everything that is wrong in it. */
export function readPolicyFile(file: string): AuditPolicy {
  const result = readPolicy(documentIn(file));
  if (result.ok) return result.policy;
  throw new Error(`${OPTION}: ${file} is not a policy that can be used:\n${result.complaints.map((complaint) => `  ${complaint}`).join('\n')}`);
}

function documentIn(file: string): unknown {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Error(`${OPTION}: cannot read ${file}: ${(cause as Error).message}`, { cause });
  }
}
