import type { ServiceAccount } from '../../../api/types/core/v1.js';
import type { Draft, Kind } from '../language.js';

const enforces = 'kubernetes.io/enforce-mountable-secrets';
const enforcesText = `metadata.annotations[${enforces}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`;

/** Only the name of a secret matters here. */
function cleanReferences(account: Draft<ServiceAccount>): void {
  if (account.secrets !== undefined) account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

export const serviceAccounts: Kind<Draft<ServiceAccount>> = {
  name: 'serviceaccounts',
  warnings: (account, old) =>
    account.metadata.annotations?.[enforces] !== undefined && old?.metadata.annotations?.[enforces] === undefined ? [enforcesText] : [],
  prepare: cleanReferences,
  delete: { answers: 'object' },
};
