import { expect } from 'chai';
import { createCatalogue } from '../../../../server/kinds/index.js';
import { StatusError } from '../../../../api/status.js';
import type { Request } from '../../../../program/port/message.js';
import { route, type ResourceInfo } from '../../../../server/endpoints/routing.js';

/** Paths below a subresource give 404, except for proxies. */
const catalogue = createCatalogue({ serves: () => true });
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

function outcome(info: ResourceInfo, method: string): number | 'route' | 'unknown' {
  try {
    return route({ request: { method } as Request, warnings: [], audit: null }, info, catalogue).outcome;
  } catch (error) {
    if (error instanceof StatusError) return error.code;
    throw error;
  }
}

describe('paths below a subresource', () => {
  it('are nowhere, for every type and method, except those below a proxy', () => {
    const resources = catalogue.groups
      .flatMap(({ versions }) => versions.flatMap((each) => each.resources))
      .filter(({ subresources }) => subresources.size > 0);
    for (const { group, version, resource, namespaced, subresources } of resources) {
      for (const subresource of subresources.values()) {
        for (const method of methods) {
          const base = {
            isResource: true,
            path: '/',
            verb: 'get',
            group,
            version,
            namespace: namespaced ? 'ns' : resource === 'namespaces' ? 'o' : '',
            resource,
            subresource: subresource.name,
            name: 'o',
          } as const;
          const here = outcome({ ...base, rest: [] }, method);
          for (const rest of [['x'], ['x', 'y'], ['']])
            expect([resource, subresource.name, method, outcome({ ...base, rest }, method)]).to.deep.equal([
              resource,
              subresource.name,
              method,
              subresource.name === 'proxy' ? here : 404,
            ]);
        }
      }
    }
  });
});
