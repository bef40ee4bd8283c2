import type { Aggregation } from '../aggregation/aggregation.js';
import { openIdDocuments, type OpenIdDocuments } from '../authentication/serviceaccount/openid.js';
import { createDiscovery } from '../discovery/discovery.js';
import { createOpenId, openidPaths } from '../discovery/openid.js';
import type { RequestContext } from '../endpoints/context.js';
import type { CustomResources } from '../extensions/definitions.js';
import { createOpenApi } from '../openapi/openapi.js';
import { emulatedMinor } from '../../program/features/emulation.js';
import { release } from '../../program/version.js';
import type { Peers } from '../peers/peers.js';
import type { Access } from './access.js';
import type { AccessFiles } from './accessFiles.js';
import type { Objects } from './objects.js';
import type { Platform } from './platform.js';
import { advertisedAddress } from './serving.js';

/** Paths of documents that list custom resources. */
const tellsDefined = /^\/(apis|openapi)(\/|$)/;

export interface DocumentParts {
  readonly objects: Objects;
  readonly custom: CustomResources;
  readonly aggregation: Aggregation;
  readonly peers: Peers | null;
  readonly access: Access;
  readonly files: Pick<AccessFiles, 'verificationKeys'>;
}

/** Answers requests for discovery, OpenID and OpenAPI documents; false for other paths. */
export function createDocuments(platform: Platform, given: DocumentParts): (context: RequestContext) => Promise<boolean> {
  const { aggregation, custom } = given;
  const openid = openIdOf(platform, given);
  const discovery = discoveryOf(platform, given, openid.isServed);
  const openapi = createOpenApi({
    builtIn: given.objects.builtIn,
    defined: () => custom.catalogue,
    definitions: custom.storedIn,
    remote: aggregation.documents,
    telling: { enums: platform.features.enabled('OpenAPIEnums') },
  });
  platform.parts.add({ name: 'OpenAPI', stop: () => openapi.close() });
  return async (context) => {
    if (await aggregation.answers(context)) return true;
    // A definition in effect on another server must be found here, too.
    if (tellsDefined.test(context.info.path)) await custom.fresh();
    return (await discovery(context)) || openid.answer(context) || openapi.documents(context);
  };
}

const hostOf = ({ options }: Platform): string => `${options['external-hostname'] ?? advertisedAddress(options)}:${options['secure-port']}`;

function openIdOf(platform: Platform, { access, files }: DocumentParts) {
  const keysUri = platform.options['service-account-jwks-uri'] ?? `https://${hostOf(platform)}${openidPaths.keys}`;
  const documents = (): OpenIdDocuments | null =>
    openIdDocuments(access.tokens.issuer?.issuer ?? '', keysUri, files.verificationKeys.current);
  return { answer: createOpenId(documents, () => files.verificationKeys.maxAgeSeconds ?? 3600), isServed: documents() !== null };
}

function discoveryOf(platform: Platform, { objects, aggregation, peers }: DocumentParts, servesOpenId: boolean) {
  const { options, features } = platform;
  return createDiscovery({
    catalogue: objects.catalogue,
    groups: aggregation.groups,
    ...(peers === null ? {} : { peers: peers.groups }),
    build: { gitVersion: options.version?.startsWith('v') ? options.version : release },
    emulatedMinor: emulatedMinor(options),
    versionHashes: features.enabled('StorageVersionHash'),
    serverAddress: hostOf(platform),
    otherPaths: servesOpenId ? Object.values(openidPaths) : [],
    cbor: features.enabled('CBORServingAndStorage') ? objects.builtIn : null,
  });
}
