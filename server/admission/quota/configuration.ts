import type { JsonObject } from '../../../api/object.js';
import { itemsOf, membersOf, textAt } from '../../../api/json/members.js';
import { checkPluginConfiguration, type PluginKind } from '../configuration.js';

/** What may be used only where a quota counts it. */
export interface LimitedResource {
  readonly group: string;
  readonly resource: string;
  /** Names of counted resources are meant that contain one of these. */
  readonly contains: readonly string[];
  /** Objects in these scopes are meant, whatever they use; requirements as in a quota's scope selector. */
  readonly scopes: readonly JsonObject[];
}

const fields: PluginKind['fields'] = {
  limitedResources: {
    list: {
      fields: {
        apiGroup: 'text',
        resource: 'text',
        matchContains: { list: 'text' },
        matchScopes: { list: { fields: { scopeName: 'text', operator: 'text', values: { list: 'text' } } } },
      },
    },
  },
};

/** The kind has had two names. */
const kinds: readonly PluginKind[] = [
  { kind: 'ResourceQuotaConfiguration', apiVersions: ['apiserver.config.k8s.io/v1'], fields: fields },
  {
    kind: 'Configuration',
    apiVersions: ['v1beta1', 'v1alpha1'].map((version) => `resourcequota.admission.k8s.io/${version}`),
    fields: fields,
  },
];

/** Reads a `ResourceQuotaConfiguration`. Throws when it is not understood. */
export function limitedResources(configuration: JsonObject | null): readonly LimitedResource[] {
  if (configuration === null) return [];
  checkPluginConfiguration('ResourceQuota', configuration, kinds.find(({ kind }) => kind === configuration['kind']) ?? kinds[0]!);
  return itemsOf(configuration['limitedResources'])
    .map(membersOf)
    .map((limited) => ({
      group: textAt(limited, 'apiGroup'),
      resource: textAt(limited, 'resource'),
      contains: itemsOf(limited['matchContains']).map(String),
      scopes: itemsOf(limited['matchScopes']).map(membersOf),
    }));
}
