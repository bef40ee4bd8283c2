/** The address of the objects view: `GROUP/RESOURCE?namespace=…&in=…&name=…`; the core group is `core`. */
export interface ObjectsPlace {
  readonly group: string;
  readonly resource: string;
  /** Empty for all namespaces. */
  readonly namespace: string;
  /** The object that is open; empty for none. */
  readonly name: string;
  /** The namespace of the open object where all are shown. */
  readonly within?: string;
}

export function objectsPlaceIn(rest: string): ObjectsPlace {
  const [path = '', search = ''] = rest.split('?');
  const [group = 'core', resource = 'pods'] = path === '' ? [] : path.split('/');
  const parameters = new URLSearchParams(search);
  return {
    group: group === 'core' ? '' : group,
    resource,
    namespace: parameters.get('namespace') ?? '',
    name: parameters.get('name') ?? '',
    ...(parameters.has('in') ? { within: parameters.get('in') ?? '' } : {}),
  };
}

export function hashOf({ group, resource, namespace, name, within = '' }: ObjectsPlace): string {
  const named = Object.entries({ namespace, in: within, name }).filter(([, value]) => value !== '');
  const parameters = new URLSearchParams(named).toString();
  return `#objects/${group === '' ? 'core' : group}/${resource}${parameters === '' ? '' : `?${parameters}`}`;
}
