import os from 'node:os';
import { anonymousOn, firstOf, type Authenticator } from '../../program/authentication/authenticator.js';
import { release } from '../../program/version.js';
import type { Features } from '../../program/features/chosen.js';
import { LiveFiles } from '../../program/files/liveFile.js';
import { selfSignedPair, type KeyPair, type KeyPairFiles } from '../../program/tls/credentials.js';
import { portOptions } from '../../program/port/portOptions.js';
import type { ProcessPages } from '../../program/port/processPages.js';
import { makeSelfSigned } from '../../program/tls/selfSigned.js';
import type { Verbosity } from '../../program/log/logger.js';
import { DebugPages } from '../../program/profiles/pages.js';
import { flagValues } from '../../program/zpages.js';
import { emulatedMinor } from '../../program/features/emulation.js';
import { pause, type Clock } from '../client/clock.js';
import { Connection } from '../client/connection.js';
import { messageOf } from '../client/errors.js';
import { loadKubeconfig } from '../client/kubeconfig.js';
import { RestApi } from '../client/rest.js';
import { controllerManagerFlags, type ControllerManagerOptions } from '../options/flags.js';
import { delegatedAccess, delegatedTokens } from './access.js';
import { certificateFiles } from './certificateFiles.js';
import type { Checks } from './checks.js';
import type { Metrics } from './metrics.js';
import { configz, type InEffect } from './pages.js';
import { serve, type Route, type Serving } from './server.js';
import { Slis } from './slis.js';
import { publishedTrust, trustOf, type Published } from './trust.js';
import { errorText } from '../../api/errorText.js';

export interface HealthOptions {
  readonly options: ControllerManagerOptions;
  readonly features: Features;
  readonly metrics: Metrics;
  readonly checks: Checks;
  readonly clock: Clock;
  /** The parts of `/configz` that are no options. */
  readonly inEffect?: InEffect;
  /** Changed by `PUT /debug/flags/v`. */
  readonly verbosity: Verbosity;
  readonly log: (level: 'info' | 'error', message: string) => void;
}

/** Starts the secure port; null without one. Rejects with the errors of the options or their files. */
export async function serveHealth(healthOptions: HealthOptions): Promise<Serving | null> {
  const { options, clock, log, metrics } = healthOptions;
  if (options['secure-port'] === 0) return null;
  const say = (level: 'info' | 'error', message: string): void => log(level, `serving: ${message}`);
  const live = new LiveFiles();
  const authentication = apiOf(options['authentication-kubeconfig'], clock);
  const pages = pagesOf(healthOptions);
  const pair = servingPair(options);
  metrics.showCertificates(certificateFiles(options, pair));
  const over = new AbortController();
  const open = (found: Published): Promise<Serving> => openPort(healthOptions, { pair, found, authentication, pages, live, say });
  const look = (): Promise<Published | null> => lookedUp(options, authentication, say);
  const first = await look();
  const serving = await open(first ?? {});
  const reopened = first === null ? reopenOnce(serving, { look, open, clock, signal: over.signal, say }) : Promise.resolve(serving);
  return {
    port: serving.port,
    close: async () => {
      over.abort();
      live.stop();
      pages.debug?.stop();
      await (await reopened).close();
    },
  };
}

/** Interval of reads of the API servers' published trust. */
const lookMs = 2_000;

interface Reopening {
  readonly look: () => Promise<Published | null>;
  readonly open: (found: Published) => Promise<Serving>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly say: (level: 'info' | 'error', message: string) => void;
}

/** While no API server answers, the port serves clients authenticated by files and tokens. Then it is reopened with the published authorities. */
async function reopenOnce(serving: Serving, { look, open, clock, signal, say }: Reopening): Promise<Serving> {
  for (;;) {
    await pause(clock, lookMs, signal);
    if (signal.aborted) return serving;
    const found = await look().catch((error: unknown) => {
      say('error', messageOf(error));
      return null;
    });
    if (found === null) continue;
    await serving.close();
    say('info', 'API servers have published their authorities');
    return open(found).catch((error: unknown) => {
      say('error', `authorities that API servers publish cannot be used: ${messageOf(error)}`);
      return open({});
    });
  }
}

interface Door {
  readonly pair: KeyPair | KeyPairFiles;
  readonly found: Published;
  readonly authentication: RestApi | null;
  readonly pages: ProcessPages;
  readonly live: LiveFiles;
  readonly say: (level: 'info' | 'error', message: string) => void;
}

function openPort(
  { options, features, metrics, checks, clock, inEffect = {} }: HealthOptions,
  { pair, found, authentication, pages, live, say }: Door,
): Promise<Serving> {
  const trust = trustOf(options, found, live, { uids: features.enabled('AllowParsingUserUIDFromCertAuth') });
  return serve({
    port: portOptions({
      options,
      pair,
      moreAuthorities: trust.authorities,
      live,
      changed: () => say('info', 'certificates have changed and were read again'),
      failed: (error) => say('error', `changed certificates cannot be used; those from before stay: ${error.message}`),
    }),
    authenticate: firstOf([...trust.ways, tokens(options, authentication, clock)], anonymousOn(null)),
    mayAccess: delegatedAccess({
      api: apiOf(options['authorization-kubeconfig'], clock),
      clock,
      allowedMs: options['authorization-webhook-cache-authorized-ttl'],
      refusedMs: options['authorization-webhook-cache-unauthorized-ttl'],
    }),
    openPaths: options['authorization-always-allow-paths'],
    routes: routesOf({ options, checks, metrics, inEffect }),
    pages,
    refused: ({ code, method, path, user, address, reason }) =>
      say('info', `${method} ${JSON.stringify(path)} from ${address} as ${JSON.stringify(user)} refused with ${code}: ${reason}`),
    failed: (error) => say('error', `an answer failed: ${errorText(error)}`),
  });
}

const apiOf = (file: string | null, clock: Clock): RestApi | null =>
  file === null
    ? null
    : new RestApi({ connection: new Connection(loadKubeconfig(file), { clock }), userAgent: 'kube-controller-manager/access', clock });

/** Returns the published trust for certificates, where files leave something open and a server is configured; null while no API server answers. */
async function lookedUp(
  options: ControllerManagerOptions,
  api: RestApi | null,
  say: (level: 'info' | 'error', message: string) => void,
): Promise<Published | null> {
  const complete = options['client-ca-file'] !== null && options['requestheader-client-ca-file'] !== null;
  if (api === null || complete || options['authentication-skip-lookup']) return {};
  // An API server that does not answer is tried later, not retried here.
  return publishedTrust(api.with({ retries: 0 }), options['authentication-tolerate-lookup-failure'], (message) => say('error', message));
}

/** A token authenticates nobody without an API server. */
function tokens(options: ControllerManagerOptions, api: RestApi | null, clock: Clock): Authenticator {
  return api === null ? () => ({ outcome: 'absent' }) : delegatedTokens(api, clock, options['authentication-token-webhook-cache-ttl']);
}

/** Returns the pair given by files, else the one kept in `--cert-dir`, else one in memory. */
function servingPair(options: ControllerManagerOptions): KeyPair | KeyPairFiles {
  const { 'tls-cert-file': certFile, 'tls-private-key-file': keyFile, 'cert-dir': directory } = options;
  if (certFile !== null && keyFile !== null) return { certFile, keyFile, option: '--tls-cert-file' };
  const names = { dns: [os.hostname(), 'localhost'], ip: ['127.0.0.1'] };
  if (directory !== null) return selfSignedPair(directory, names, 'kube-controller-manager');
  const { cert, key } = makeSelfSigned(names);
  return { cert: Buffer.from(cert), key: Buffer.from(key) };
}

function routesOf({
  options,
  checks,
  metrics,
  inEffect = {},
}: Pick<HealthOptions, 'options' | 'checks' | 'metrics' | 'inEffect'>): Readonly<Record<string, Route>> {
  const all: Route = (query, path) => checks.all(path.slice(1), query);
  const one: Route = (_, path) => checks.one(path.slice(path.lastIndexOf('/') + 1));
  return {
    '/healthz': all,
    '/livez': all,
    '/readyz': all,
    '/healthz/': one,
    '/livez/': one,
    '/readyz/': one,
    '/metrics': async () => ({ status: 200, type: metrics.contentType, body: await metrics.text() }),
    '/configz': () => configz(options, inEffect),
  };
}

/** Pages that both programs have. */
function pagesOf({ options, features, checks, clock, verbosity }: HealthOptions): ProcessPages {
  const startedAt = clock.now();
  return {
    component: 'kube-controller-manager',
    debug: options.profiling ? new DebugPages({ verbosity, contention: options['contention-profiling'], now: () => clock.now() }) : null,
    indicators: new Slis(checks),
    flags: features.enabled('ComponentFlagz') ? flagValues(controllerManagerFlags, options) : null,
    facts: features.enabled('ComponentStatusz')
      ? () => ({
          component: 'kube-controller-manager',
          startedAt,
          upMs: clock.now() - startedAt,
          binaryVersion: release.slice(1),
          emulationVersion: `1.${emulatedMinor(options)}`,
          runtime: `node ${process.version}`,
          paths: ['/configz', '/healthz', '/livez', '/metrics', '/readyz'],
        })
      : null,
  };
}
