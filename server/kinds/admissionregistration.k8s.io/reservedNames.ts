import { manifestSuffix } from '../../../api/catalogue/manifestNames.js';
import type { EnabledFeatures } from '../../../program/features/gates.js';
import { subdomainName } from '../language.js';

export const unreservedName = (name: string, prefix: boolean, _object: unknown, enabled: EnabledFeatures): string[] => [
  ...subdomainName(name, prefix),
  ...(name.endsWith(manifestSuffix) && enabled('ManifestBasedAdmissionControlConfig')
    ? [`names ending with "${manifestSuffix}" are reserved for static manifest-based configurations and cannot be managed via the API`]
    : []),
];

/** Objects with such names get a warning that these will be refused. */
export const reservedNameWarnings = ({ metadata }: { readonly metadata?: { readonly name?: string } }): string[] =>
  metadata?.name?.endsWith(manifestSuffix) === true
    ? [
        `metadata.name: names ending with "${manifestSuffix}" will be reserved for static manifest-based configurations when the ManifestBasedAdmissionControlConfig feature gate is enabled`,
      ]
    : [];
