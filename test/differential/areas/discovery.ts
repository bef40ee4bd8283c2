import { apiVersionOf } from '../../../api/resource.js';
import type { Step } from '../../golden/recordings.js';
import type { Area } from '../area.js';
import { servedResources } from '../samples.js';

/** Discovery in both forms, and OpenAPI without descriptions. */
export const discovery: Area = {
  name: 'discovery',
  about: 'groups, versions and resources, aggregated and not, and OpenAPI documents of each group',
  generate: (random) => ({ steps: random.upTo(2, () => random.pick(questions())) }),
};

const aggregated = (version: string): string => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;

function questions(): readonly Step[] {
  const versions = [...new Set(servedResources().map(apiVersionOf))];
  const paths = versions.map((version) => (version === 'v1' ? '/api/v1' : `/apis/${version}`));
  const groups = paths.filter((path) => path.startsWith('/apis')).map((path) => path.slice(0, path.lastIndexOf('/')));
  return (known ??= [
    ...[...paths, ...groups, '/apis'].map((path): Step => ({ do: `GET ${path}` })),
    { do: 'GET /api', ignore: ['/serverAddressByClientCIDRs'] },
    ...['/api', '/apis'].flatMap((path) =>
      ['v2', 'v2beta1', 'v3'].map((version): Step => ({
        do: `GET ${path}`,
        accept: `${aggregated(version)},application/json`,
        ignore: ['/serverAddressByClientCIDRs'],
      })),
    ),
    ...['/api', '/apis'].map((path): Step => ({ do: `GET ${path}?profile=nopeer`, accept: aggregated('v2') })),
    ...paths.map((path): Step => ({ do: `GET /openapi/v3${path}` })),
  ]);
}

let known: readonly Step[] | undefined;
