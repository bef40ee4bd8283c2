import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Registry } from 'prom-client';
import { readAuthenticationConfiguration, sameAnonymous, type AuthenticationSettings } from '../authentication/jwt/configuration.js';
import type { IssuerReloads } from '../authentication/jwt/issuers.js';
import {
  readAuthorizationConfiguration,
  typesProblem,
  type AuthorizerSettings,
  type WebhookSettings,
} from '../authorization/configuration.js';
import { webhookClient } from '../webhook/client.js';
import { featuresOf } from '../../program/features/options.js';
import { fixed, type Live, type LiveFiles } from '../../program/files/liveFile.js';
import type { Logger } from '../../program/log/logger.js';
import { createReloadMetrics } from '../../program/metrics/reloads.js';
import type { ApiServerOptions } from '../options/flags.js';
import { oidcSettings } from './oidcSettings.js';
import { ownName } from './ownName.js';

export interface AccessSettingsOptions {
  readonly options: ApiServerOptions;
  readonly live: LiveFiles;
  readonly registry: Registry;
  readonly log: Logger;
}

export interface FollowedAuthentication {
  readonly settings: Live<AuthenticationSettings>;
  readonly reloads: IssuerReloads;
}

/**
 * Reads the file of `--authentication-config`, which is followed, or single options. The first setting for anonymous requests stays
 * (kubeapiserver/options/authentication.go).
 */
export function authenticationSettings({ options, live, registry, log }: AccessSettingsOptions): FollowedAuthentication {
  const file = options['authentication-config'];
  const single = oidcSettings(options);
  if (file === null)
    return { settings: fixed({ jwt: single === null ? [] : [single], anonymous: null }), reloads: { applied: () => {}, late: () => {} } };
  const metrics = createReloadMetrics(registry, 'authentication_config_controller', ownName(options));
  let content = contentOf(file);
  let first: AuthenticationSettings | null = null;
  const failed = (error: Error): void => {
    log.error('changed configuration of authentication cannot be used; the one from before stays', { error });
    metrics.record('failure');
  };
  const read = (): AuthenticationSettings => {
    const now = contentOf(file);
    const settings = readAuthenticationConfiguration(file, {
      ownIssuers: options['service-account-issuer'],
      selectsEgress: featuresOf(options).enabled('StructuredAuthenticationConfigurationEgressSelector'),
    });
    if (settings.anonymous !== null && options['anonymous-auth'] !== null)
      throw new Error(`--anonymous-auth and the member "anonymous" of ${file} (--authentication-config) exclude each other`);
    if (first !== null && !sameAnonymous(settings.anonymous, first.anonymous))
      throw new Error(`the member "anonymous" of ${file} (--authentication-config) has changed, which takes a start of the server`);
    first ??= settings;
    content = now;
    return settings;
  };
  const settings = live.follow({ files: [file], read, failed });
  metrics.loaded(content);
  return {
    settings,
    reloads: {
      applied: () => {
        log.info('configuration of authentication was read again', { file });
        metrics.loaded(content);
        metrics.record('success');
      },
      late: () => failed(new Error('new issuers of tokens have not answered yet')),
    },
  };
}

/** Reads the file of `--authorization-config`, which is followed, or single options. */
export function authorizerSettings({ options, live, registry, log }: AccessSettingsOptions): Live<readonly AuthorizerSettings[]> {
  const file = options['authorization-config'];
  if (file === null) return fixed(authorizersByMode(options));
  const reloads = createReloadMetrics(registry, 'authorization_config_controller', ownName(options));
  let first: readonly AuthorizerSettings[] | null = null;
  return live.follow({
    files: [file],
    read: () => {
      const content = contentOf(file);
      const settings = readAuthorizationConfiguration(file);
      if (settings.some(({ type }) => type === 'ABAC') && options['authorization-policy-file'] === null)
        throw new Error(`authorizer ABAC of ${file} (--authorization-config) needs --authorization-policy-file`);
      const wrong = first === null ? null : typesProblem(settings, first);
      if (wrong !== null) throw new Error(`${file} (--authorization-config): ${wrong}, which takes a start of the server`);
      first ??= settings;
      reloads.loaded(content);
      return settings;
    },
    changed: () => {
      log.info('configuration of authorization was read again', { file });
      reloads.record('success');
    },
    failed: (error) => {
      log.error('changed configuration of authorization cannot be used; the one from before stays', { error });
      reloads.record('failure');
    },
  });
}

const contentOf = (file: string): { readonly hash: string } => ({ hash: hash('sha256', readFileSync(file), 'hex') });

function authorizersByMode(options: ApiServerOptions): AuthorizerSettings[] {
  const kubeconfig = options['authorization-webhook-config-file'];
  // An invalid file is reported before anything starts.
  if (kubeconfig !== null) webhookClient(kubeconfig, '--authorization-webhook-config-file').close();
  const webhook: WebhookSettings = {
    version: options['authorization-webhook-version'] === 'v1' ? 'v1' : 'v1beta1',
    authorizedTtlMs: options['authorization-webhook-cache-authorized-ttl'],
    unauthorizedTtlMs: options['authorization-webhook-cache-unauthorized-ttl'],
    timeoutMs: reviewTimeoutMs,
    onFailure: 'NoOpinion',
    kubeconfig,
    conditions: [],
  };
  const modes = options['authorization-mode'].length === 0 ? ['AlwaysAllow'] : options['authorization-mode'];
  return modes.map((type) => ({ type, name: type.toLowerCase(), webhook: type === 'Webhook' ? webhook : null }));
}

/** The timeout of a webhook without configuration. */
const reviewTimeoutMs = 30_000;
