import type { Endpoint, EndpointSlice } from '../../api/types/discovery/v1.js';
import { sameMeaning } from '../../api/json/equality.js';

/** Hints by which proxies keep traffic near, for `spec.trafficDistribution`. Pure. */

const zoneWords: ReadonlySet<string> = new Set(['PreferClose', 'PreferSameZone', 'PreferSameNode']);

/** Sets the hints of an endpoint. An unready endpoint keeps its own, as long as there are hints at all. */
function hinted(endpoint: Endpoint, distribution: string | undefined): Endpoint {
  const { hints: before, ...rest } = endpoint;
  if (!distribution || !zoneWords.has(distribution)) return rest;
  if (endpoint.conditions?.ready !== true) return endpoint;
  const hints = {
    ...(endpoint.zone ? { forZones: [{ name: endpoint.zone }] } : {}),
    ...(endpoint.nodeName && distribution === 'PreferSameNode' ? { forNodes: [{ name: endpoint.nodeName }] } : {}),
  };
  if (sameMeaning(before, hints)) return endpoint;
  return Object.keys(hints).length > 0 ? { ...rest, hints } : rest;
}

export function withTrafficHints(slice: EndpointSlice, distribution: string | undefined): EndpointSlice {
  const before = slice.endpoints ?? [];
  const endpoints = before.map((endpoint) => hinted(endpoint, distribution));
  return endpoints.every((endpoint, index) => sameMeaning(endpoint.hints, before[index]?.hints)) ? slice : { ...slice, endpoints };
}
