import { escalationCheck } from '../authorization/rbac/escalation.js';
import { createNodeAuthorization } from '../authorization/node/authorizer.js';
import { createRbac, type Rbac } from '../authorization/rbac/authorizer.js';
import type { AdmissionPlugin } from '../registry/admission.js';
import { closeAccessFiles, type AccessFiles } from './accessFiles.js';
import { anonymousOn, firstOf } from '../../program/authentication/authenticator.js';
import type { AnonymousRule, Authenticator } from '../../program/authentication/authenticator.js';
import { certificateAuthenticator } from '../../program/authentication/certificate.js';
import { frontProxyAuthenticator, type IdentityHeaders } from '../../program/authentication/frontProxy.js';
import { publishedTrust, type PublishedTrust, type TrustFacts } from '../authentication/published.js';
import { stripCredentials } from '../authentication/stripping.js';
import { createIssuers, type Issuers } from '../authentication/jwt/issuers.js';
import { derived, type Live } from '../../program/files/liveFile.js';
import { createIssuer } from '../authentication/serviceaccount/issuer.js';
import { createLookup } from '../authentication/serviceaccount/lookup.js';
import { secretTokens } from '../authentication/serviceaccount/secretTokens.js';
import { accountTokenVerifier } from '../authentication/serviceaccount/verifier.js';
import { bootstrapTokens } from '../authentication/tokens/bootstrapTokens.js';
import type { TokenServices } from '../authentication/tokens/services.js';
import { webSocketAuthenticator } from '../authentication/tokens/webSocket.js';
import {
  bearerAuthenticator,
  firstTokenOf,
  forThisApi,
  withNewsForThisApi,
  type TokenAuthenticator,
} from '../authentication/tokens/token.js';
import { createAuthorizerChain, type Mode } from '../authorization/chain.js';
import type { AuthorizerSettings, WebhookSettings } from '../authorization/configuration.js';
import { webhookAuthorizer } from '../authorization/webhook/authorizer.js';
import { inClusterSettings, type ConnectionSettings } from '../../program/kubeconfig.js';
import { clientFor, webhookClient } from '../webhook/client.js';
import { tokenWebhook } from '../authentication/tokens/webhook.js';
import type { Authorizer } from '../authorization/authorizer.js';
import { alwaysAllow, alwaysDeny } from '../authorization/builtin.js';
import type { RuleResolver } from '../authorization/rules.js';
import { loopbackAuthenticator, type Loopback } from './loopback.js';
import type { Egress } from '../egress/egress.js';
import type { Logger } from '../../program/log/logger.js';
import { featuresOf } from '../../program/features/options.js';
import type { ApiServerOptions } from '../options/flags.js';
import type { Storage } from '../storage/contract.js';

export interface Access {
  readonly authenticate: Authenticator;
  readonly authorize: Authorizer;
  readonly rules: RuleResolver;
  readonly tokens: TokenServices;
  /** Authorities and proxies that extension servers must know. */
  published(): PublishedTrust;
  onPublishedChange(listener: () => void): void;
  /** Admission steps against privilege escalation. */
  readonly guards: readonly AdmissionPlugin[];
  /** Settles once roles and bindings are known. */
  readonly synced: Promise<unknown>;
  stop(): void;
}

const everythingAllowed: RuleResolver = () => ({
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
  problems: [],
});

export interface AccessOptions {
  readonly options: ApiServerOptions;
  readonly files: AccessFiles;
  readonly storage: Storage;
  readonly egress: Egress;
  readonly loopback: Loopback;
  readonly log: Logger;
}

/** Follows storage; decisions are valid once `synced` has settled. */
export function createAccess({ options, files, storage, egress, loopback, log }: AccessOptions): Access {
  // Escalation checks need roles in every mode.
  const rbac = createRbac(storage);
  const chain = createAuthorizerChain(files.authorizers, (link) => modeOf(link, { rbac, storage, files }), files.countDecisions);
  const open = derived(files.authorizers, (links) => links.some(({ type }) => type === 'AlwaysAllow'));
  warnIfOpen(open.current, options, log);
  open.onChange((now) => {
    warnIfOpen(now, options, log);
  });
  const issuers = createIssuers(
    derived(files.authentication.settings, ({ jwt }) => jwt),
    log,
    { egress, counts: files.countKeyFetches, reloads: files.authentication.reloads },
  );
  const tokens = tokenServices({ options, files, storage, issuers, log: log.named('authentication') });
  return {
    tokens,
    published: () => publishedTrust(trustFacts(options, files)),
    onPublishedChange: (listener) => {
      for (const anchors of [files.clientAnchors, files.proxyAnchors]) anchors?.onChange(listener);
    },
    authenticate: authentication({ options, files, tokens, open, loopback }),
    authorize: chain.authorize,
    rules: chain.rules,
    guards: [escalationCheck(rbac.index, chain.authorize)],
    synced: Promise.all([rbac.synced, chain.synced]),
    stop: () => {
      rbac.stop();
      issuers.stop();
      chain.stop();
      closeAccessFiles(files);
    },
  };
}

function trustFacts(options: ApiServerOptions, { clientAnchors, proxyAnchors }: AccessFiles): TrustFacts {
  return {
    client: clientAnchors?.current ?? null,
    proxy:
      proxyAnchors === null
        ? null
        : {
            anchors: proxyAnchors.current,
            lists: {
              'allowed-names': options['requestheader-allowed-names'],
              'username-headers': options['requestheader-username-headers'],
              'uid-headers': options['requestheader-uid-headers'],
              'group-headers': options['requestheader-group-headers'],
              'extra-headers-prefix': options['requestheader-extra-headers-prefix'],
            },
          },
  };
}

function warnIfOpen(open: boolean, options: ApiServerOptions, log: Logger): void {
  if (!open) return;
  log.warn('every authenticated request is allowed; give --authorization-mode=RBAC to change that');
  if (options['anonymous-auth'] !== false)
    log.warn('requests without credentials are refused, because authorization would allow them everything');
}

/** Returns all authenticators in the reference's order, after which credentials are removed. */
function authentication({
  options,
  files: { clientAnchors, proxyAnchors, authentication: followed, observeCertificate },
  tokens,
  open,
  loopback,
}: Pick<AccessOptions, 'options' | 'files' | 'loopback'> & {
  readonly tokens: TokenServices;
  readonly open: Live<boolean>;
}): Authenticator {
  const headers: IdentityHeaders = {
    user: options['requestheader-username-headers'],
    uid: options['requestheader-uid-headers'],
    group: options['requestheader-group-headers'],
    extraPrefixes: options['requestheader-extra-headers-prefix'],
  };
  const ways = [
    loopbackAuthenticator(loopback),
    ...(proxyAnchors === null
      ? []
      : [frontProxyAuthenticator({ anchors: proxyAnchors, allowedNames: options['requestheader-allowed-names'], headers })]),
    ...(clientAnchors === null
      ? []
      : [
          certificateAuthenticator(clientAnchors, {
            uids: featuresOf(options).enabled('AllowParsingUserUIDFromCertAuth'),
            observe: observeCertificate,
          }),
        ]),
    bearerAuthenticator(tokens.authenticate, tokens.audiences),
    webSocketAuthenticator(tokens.authenticate, tokens.audiences),
  ];
  const anonymous = anonymousRule(options, followed);
  return stripCredentials(
    firstOf(ways, (request) => !open.current && anonymous.current(request)),
    headers,
  );
}

const anonymousRule = (options: ApiServerOptions, { settings }: AccessFiles['authentication']): Live<AnonymousRule> =>
  derived(settings, ({ anonymous: configured }) => {
    const { enabled, paths } = configured ?? { enabled: options['anonymous-auth'] !== false, paths: null };
    return enabled ? anonymousOn(paths) : () => false;
  });

type TokenOptions = Omit<AccessOptions, 'egress' | 'loopback'> & { readonly issuers: Issuers };

function tokenServices(given: TokenOptions): TokenServices {
  const {
    options,
    files: { signingKey, signer },
  } = given;
  const [issuer] = options['service-account-issuer'];
  const audiences = options['api-audiences'].length === 0 ? options['service-account-issuer'] : options['api-audiences'];
  return {
    issuer: issuer === undefined ? null : (signer?.issuer(issuer) ?? (signingKey === null ? null : createIssuer(issuer, signingKey))),
    audiences,
    get extendedSecondsMax() {
      return signer?.lifetimeSecondsMax ?? null;
    },
    authenticate: firstTokenOf(tokenAuthenticators(given, audiences)),
    get lifetimeSecondsMax() {
      return Math.floor(options['service-account-max-token-expiration'] / 1000) || (signer?.lifetimeSecondsMax ?? 0);
    },
    extendsLifetime: options['service-account-extend-token-expiration'],
    refusesOtherUids: featuresOf(options).enabled('TokenRequestServiceAccountUIDValidation'),
  };
}

const refusedBootstrapToken =
  (log: Logger) =>
  (name: string, reason: string): void => {
    log.debug(3, 'a bootstrap token was refused by its secret', { name, reason });
  };

function tokenAuthenticators(
  {
    options,
    files: { signer, verificationKeys: keys, staticTokens, tokenWebhook: client, countToken: count, tokenCacheCounts },
    storage,
    issuers: others,
    log,
  }: TokenOptions,
  audiences: readonly string[],
): TokenAuthenticator[] {
  const issuers = options['service-account-issuer'];
  const lookup = createLookup(storage);
  return [
    ...(staticTokens === null ? [] : [forThisApi(audiences, staticTokens)]),
    ...(issuers.length === 0 ? [] : [accountTokenVerifier({ issuers, keys, audiences, lookup, count, cacheCounts: tokenCacheCounts })]),
    ...(signer === null && keys.current.length === 0
      ? []
      : [withNewsForThisApi(audiences, secretTokens({ keys, storage, lookup: options['service-account-lookup'] ? lookup : null, count }))]),
    ...(options['enable-bootstrap-token-auth'] ? [forThisApi(audiences, bootstrapTokens(storage, refusedBootstrapToken(log)))] : []),
    forThisApi(audiences, others.authenticate),
    ...(client === null
      ? []
      : [
          tokenWebhook({
            client,
            audiences,
            cacheTtlMs: options['authentication-token-webhook-cache-ttl'],
            version: options['authentication-token-webhook-version'] === 'v1' ? 'v1' : 'v1beta1',
            counts: tokenCacheCounts,
          }),
        ]),
  ];
}

interface Parts {
  readonly rbac: Rbac;
  readonly storage: Storage;
  readonly files: AccessFiles;
}

const nothingListed: RuleResolver = () => ({
  resourceRules: [],
  nonResourceRules: [],
  incomplete: true,
  problems: ['webhook authorizer does not support user rule resolution'],
});

/** Makers of authorizers by kind; null without the needed inputs. */
const modeMakers: Readonly<Record<string, (parts: Parts, link: AuthorizerSettings) => Mode | null>> = {
  AlwaysAllow: () => ({ authorize: alwaysAllow, rules: everythingAllowed }),
  AlwaysDeny: () => ({ authorize: alwaysDeny, rules: null }),
  RBAC: ({ rbac }) => ({ authorize: rbac.authorize, rules: rbac.rules }),
  Node: ({ storage, files }) => createNodeAuthorization(storage, files.nodeFeatures, files.graphTimes),
  ABAC: ({ files }) => files.policies,
  Webhook: ({ files }, { name, webhook }) => (webhook === null ? null : askingMode(name, webhook, files)),
};

function askingMode(name: string, settings: WebhookSettings, { observeReview, dial, certificates }: AccessFiles): Mode {
  const client =
    settings.kubeconfig === null
      ? clientFor(inCluster(), { certificates })
      : webhookClient(settings.kubeconfig, `authorizer ${name}`, { dial, certificates });
  return {
    authorize: webhookAuthorizer({
      ...settings,
      name,
      client,
      observe: (outcome, seconds) => {
        observeReview(name, outcome, seconds);
      },
    }),
    rules: nothingListed,
    stop: () => {
      client.close();
    },
  };
}

function inCluster(): ConnectionSettings {
  const settings = inClusterSettings(process.env);
  return { ...settings, server: `${settings.server}/apis/authorization.k8s.io/v1/subjectaccessreviews` };
}

function modeOf(link: AuthorizerSettings, parts: Parts): Mode {
  const mode = modeMakers[link.type]?.(parts, link) ?? null;
  // Option checks refuse unavailable modes, so this is a defect.
  if (mode === null) throw new Error(`authorizer ${link.type} is not available in this build`);
  return mode;
}
