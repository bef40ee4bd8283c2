import type { Registry } from 'prom-client';
import { awaitSigner } from '../authentication/serviceaccount/external/awaitedSigner.js';
import { createSignerMeasures } from '../authentication/serviceaccount/external/measures.js';
import type { ExternalSigner } from '../authentication/serviceaccount/external/signer.js';
import {
  readSigningKey,
  readVerificationKeys,
  type SigningKey,
  type VerificationKey,
  type VerificationKeys,
} from '../authentication/serviceaccount/keys.js';
import type { TokenUse } from '../authentication/serviceaccount/tokenUse.js';
import type { TokenCacheCounts } from '../authentication/tokens/cacheCounts.js';
import { readStaticTokens, type StaticTokens } from '../authentication/tokens/staticFile.js';
import type { GraphTimes, NodeFeatures } from '../authorization/node/authorizer.js';
import { readAbacPolicies, type AbacPolicies } from '../authorization/abac.js';
import type { Anchors } from '../../program/authentication/peer.js';
import { authenticationSettings, authorizerSettings, type FollowedAuthentication } from './accessSettings.js';
import type { Live, LiveFiles } from '../../program/files/liveFile.js';
import type { Logger } from '../../program/log/logger.js';
import type { AuthorizerSettings } from '../authorization/configuration.js';
import { createCertificateMetrics, createTokenCacheMetrics, createTokenMetrics } from '../authentication/accessMetrics.js';
import { createDecisionCounts, createGraphMetrics, type DecisionCount } from '../authorization/metrics.js';
import type { FetchCounts } from '../authentication/jwt/keys.js';
import { createFetchMetrics } from '../authentication/jwt/metrics.js';
import type { Metrics } from '../http/metrics.js';
import { createReviewMetrics } from '../authorization/reviewMetrics.js';
import type { Dial } from '../webhook/dialed.js';
import type { CertificateCounts } from '../webhook/peerCertificates.js';
import { webhookClient, type WebhookClient } from '../webhook/client.js';
import { readAuthorities } from '../../program/tls/credentials.js';
import type { ApiServerOptions } from '../options/flags.js';
import { featuresOf } from '../../program/features/options.js';
import { ownName } from './ownName.js';

export interface AccessFiles {
  readonly staticTokens: StaticTokens | null;
  readonly signingKey: SigningKey | null;
  readonly signer: ExternalSigner | null;
  readonly verificationKeys: VerificationKeys;
  readonly policies: AbacPolicies | null;
  /** Token issuers, and the file's setting for anonymous requests. */
  readonly authentication: FollowedAuthentication;
  readonly tokenWebhook: WebhookClient | null;
  readonly authorizers: Live<readonly AuthorizerSettings[]>;
  readonly countDecisions: (type: string, name: string) => DecisionCount;
  readonly countKeyFetches: FetchCounts;
  readonly observeCertificate: (secondsLeft: number) => void;
  readonly countToken: (use: TokenUse) => void;
  readonly tokenCacheCounts: TokenCacheCounts;
  /** Durations of the node authorizer's changes. */
  readonly graphTimes: GraphTimes;
  readonly nodeFeatures: NodeFeatures;
  readonly observeReview: (name: string, outcome: string, seconds: number) => void;
  readonly clientAnchors: Live<Anchors> | null;
  readonly proxyAnchors: Live<Anchors> | null;
  readonly dial: Dial | null;
  readonly certificates: CertificateCounts;
}

export interface AccessFilesOptions {
  readonly options: ApiServerOptions;
  readonly live: LiveFiles;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly dial?: Dial | null;
}

const rowWarnings = {
  empty: 'a row of --token-auth-file has no token and is left out',
  duplicate: 'a row of --token-auth-file has the token of an earlier row, and replaces it',
} as const;

/** Reads all files before the start, and follows those that may change. Rejects with option and file. */
export async function readAccessFiles({ options, live, metrics, log, dial = null }: AccessFilesOptions): Promise<AccessFiles> {
  const tokenFile = options['token-auth-file'];
  const policyFile = options['authorization-policy-file'];
  const tokenWebhookFile = options['authentication-token-webhook-config-file'];
  const signingFile = options['service-account-signing-key-file'];
  const signer = await signerOutside(options, log, metrics.registry);
  const { webhooks: certificates } = metrics.peerCertificates;
  return {
    staticTokens:
      tokenFile === null
        ? null
        : readStaticTokens(tokenFile, (what, row) => {
            log.warn(rowWarnings[what], { file: tokenFile, row });
          }),
    signingKey: signingFile === null ? null : readSigningKey(signingFile, '--service-account-signing-key-file'),
    signer,
    verificationKeys: signer?.keys ?? { current: verificationKeys(options) },
    authentication: authenticationSettings({ options, live, registry: metrics.registry, log }),
    tokenWebhook:
      tokenWebhookFile === null
        ? null
        : webhookClient(tokenWebhookFile, '--authentication-token-webhook-config-file', { dial, certificates }),
    dial,
    certificates,
    authorizers: authorizerSettings({ options, live, registry: metrics.registry, log }),
    countDecisions: createDecisionCounts(metrics.registry),
    countKeyFetches: createFetchMetrics(metrics.registry, ownName(options)),
    observeReview: createReviewMetrics(metrics.registry),
    observeCertificate: createCertificateMetrics(metrics.registry),
    countToken: createTokenMetrics(metrics.registry),
    tokenCacheCounts: createTokenCacheMetrics(metrics.registry),
    graphTimes: createGraphMetrics(metrics.registry),
    nodeFeatures: { podCertificates: featuresOf(options).enabled('PodCertificateRequest') },
    clientAnchors: anchorsIn('client-ca-file', options, live),
    proxyAnchors: proxyAnchorsIn(options, live),
    policies: policyFile === null ? null : readAbacPolicies(policyFile),
  };
}

/** Closes connections to signers and token webhooks. May be called again. */
export function closeAccessFiles({ tokenWebhook, signer }: AccessFiles): void {
  tokenWebhook?.close();
  signer?.stop();
}

/** The listener reads the same file and reports invalid changes. */
function anchorsIn(
  option: 'client-ca-file' | 'requestheader-client-ca-file',
  options: ApiServerOptions,
  live: LiveFiles,
): Live<Anchors> | null {
  const file = options[option];
  return file === null ? null : live.follow({ files: [file], read: () => readAuthorities(file, `--${option}`).certificates });
}

/**
 * Every certificate of the authorities may assert a user if no proxy names are set. So an authority that also signs users' certificates is refused, at start and on
 * change.
 */
function proxyAnchorsIn(options: ApiServerOptions, live: LiveFiles): Live<Anchors> | null {
  const [proxies, clients] = [options['requestheader-client-ca-file'], options['client-ca-file']];
  if (proxies === null || clients === null || options['requestheader-allowed-names'].length > 0)
    return anchorsIn('requestheader-client-ca-file', options, live);
  return live.follow({
    files: [proxies, clients],
    read: () => {
      const anchors = readAuthorities(proxies, '--requestheader-client-ca-file').certificates;
      const users = new Set(readAuthorities(clients, '--client-ca-file').certificates.map(({ fingerprint256 }) => fingerprint256));
      if (anchors.some(({ fingerprint256 }) => users.has(fingerprint256))) {
        throw new Error(
          `--client-ca-file (${clients}) and --requestheader-client-ca-file (${proxies}) hold the same authority: every user's certificate could ` +
            'name any user; give --requestheader-allowed-names, or another authority for proxies',
        );
      }
      return anchors;
    },
  });
}

/** An unsuitable signer prevents the start; an absent one is awaited in background. */
async function signerOutside(options: ApiServerOptions, log: Logger, registry: Registry): Promise<ExternalSigner | null> {
  const socket = options['service-account-signing-endpoint'];
  if (socket === null) return null;
  return awaitSigner({
    socket,
    measures: createSignerMeasures(registry),
    check: ({ lifetimeSecondsMax }) => {
      const askedSeconds = options['service-account-max-token-expiration'] / 1000;
      if (askedSeconds > lifetimeSecondsMax)
        throw new Error(
          `--service-account-max-token-expiration asks for ${askedSeconds} seconds; the signer at ${socket} (--service-account-signing-endpoint) signs for at most ${lifetimeSecondsMax}`,
        );
    },
    failed: (error) => {
      log.warn('keys of service account tokens cannot be asked for; those that are known stay', { error });
    },
    away: (error) => {
      log.warn('the signer of service account tokens is not there yet, and is looked for', { error });
    },
    came: () => {
      log.info('the signer of service account tokens is there', { socket });
    },
  });
}

/** Default: the serving key, if there is an issuer with accepted tokens. */
function verificationKeys(options: ApiServerOptions): readonly VerificationKey[] {
  const files = options['service-account-key-file'];
  if (files.length > 0) return readVerificationKeys(files, '--service-account-key-file');
  const serving = options['tls-private-key-file'];
  return options['service-account-issuer'].length === 0 || serving === null
    ? []
    : readVerificationKeys([serving], '--tls-private-key-file');
}
