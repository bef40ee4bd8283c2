import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { AgentCredentials } from './connection.js';

/** Null where an option is not set. */
export interface AgentFiles {
  readonly 'kubelet-certificate-authority': string | null;
  readonly 'kubelet-client-certificate': string | null;
  readonly 'kubelet-client-key': string | null;
}

/** Throws an error that names the option and the file. */
export function readAgentCredentials(options: AgentFiles): AgentCredentials {
  const read = (option: keyof AgentFiles, isCertificate: boolean): Buffer | null => {
    const file = options[option];
    if (file === null) return null;
    try {
      const bytes = readFileSync(file);
      if (isCertificate) new X509Certificate(bytes);
      return bytes;
    } catch (cause) {
      throw new Error(`cannot use ${file} (--${option})`, { cause });
    }
  };
  return {
    ca: read('kubelet-certificate-authority', true),
    cert: read('kubelet-client-certificate', true),
    key: read('kubelet-client-key', false),
  };
}
