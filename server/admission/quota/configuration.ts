import type { JsonObject } from '../../../api/object.js';
import { itemsOf, membersOf, textAt } from '../../../api/json/members.js';
import { checkPluginConfiguration, type PluginKind } from '../configuration.js';

/** Use that requires a covering quota. */
export interface LimitedResource {
  readonly group: string;
  readonly resource: string;
  /** Matches resource names that contain one of these. */
  readonly contains: readonly string[];
  /** Matches all objects in these scopes; requirements as in a quota's scope selector. */
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
export const quotaKinds: readonly PluginKind[] = [
  { kind: 'ResourceQuotaConfiguration', apiVersions: ['apiserver.config.k8s.io/v1'], fields },
  {
    kind: 'Configuration',
    apiVersions: ['v1beta1', 'v1alpha1'].map((version) => `resourcequota.admission.k8s.io/${version}`),
    fields,
  },
];

/** Throws for an invalid configuration. */
export function limitedResources(configuration: JsonObject | null): readonly LimitedResource[] {
  if (configuration === null) return [];
  checkPluginConfiguration('ResourceQuota', configuration, quotaKinds.find(({ kind }) => kind === configuration['kind']) ?? quotaKinds[0]!);
  return itemsOf(configuration['limitedResources'])
    .map(membersOf)
    .map((limited) => ({
      group: textAt(limited, 'apiGroup'),
      resource: textAt(limited, 'resource'),
      contains: itemsOf(limited['matchContains']).map(String),
      scopes: itemsOf(limited['matchScopes']).map(membersOf),
    }));
}
