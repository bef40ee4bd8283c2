import fs from 'node:fs';
import path from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import { parse } from 'yaml';
import { isObject } from '../api/json/json.js';
import type { JsonObject, JsonValue } from '../api/object.js';
import { shapeProblems } from './files/configuration.js';
import { withLines } from './files/places.js';
import { kubeconfigShape } from './kubeconfigShape.js';
import { tlsClientOptions } from './tls/tlsClient.js';
import { errorText } from '../api/errorText.js';

/** Texts are PEM. */
export interface ConnectionSettings {
  /** `https://host:port`, optionally with a path. */
  readonly server: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly token?: () => string;
  readonly skipTlsVerify?: boolean;
  readonly tlsServerName?: string;
  /** Accepts any name: `ca` is the server's own certificate. */
  readonly anyServerName?: boolean;
}

export function tlsTerms({ ca, cert, key, skipTlsVerify = false, tlsServerName, anyServerName }: ConnectionSettings): ConnectionOptions {
  const name = anyServerName ? anyName : tlsServerName === undefined ? {} : { servername: tlsServerName };
  return tlsClientOptions({ ca, cert, key, rejectUnauthorized: !skipTlsVerify, ...name });
}

const anyName = { servername: '', checkServerIdentity: () => undefined };

/** Must be called before each request. */
export function identifying({ token }: ConnectionSettings): { readonly authorization?: string } {
  const value = token?.();
  return value === undefined ? {} : { authorization: `Bearer ${value}` };
}

interface Named {
  readonly name: string;
  readonly [member: string]: unknown;
}
interface ClusterEntry {
  readonly server?: string;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'tls-server-name'?: string;
}
interface UserEntry {
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly token?: string;
  readonly tokenFile?: string;
}
interface ContextEntry {
  readonly cluster?: string;
  readonly user?: string;
}
interface ConfigFile {
  readonly clusters?: readonly Named[];
  readonly users?: readonly Named[];
  readonly contexts?: readonly Named[];
  readonly 'current-context'?: string;
}

/** Reads the current context. Throws with file name and error. `master` overrides its server. */
export function loadKubeconfig(file: string, master?: string | null): ConnectionSettings {
  const config = readConfig(file);
  const context = entry<ContextEntry>(config.contexts, 'context', { name: config['current-context'], file });
  const cluster = entry<ClusterEntry>(config.clusters, 'cluster', { name: context?.cluster, file });
  const user = entry<UserEntry>(config.users, 'user', { name: context?.user, file });
  const server = master ?? cluster?.server;
  if (!server) throw new Error(`${file}: the current context names no server`);
  return { server, ...trust(cluster ?? {}, file), ...identity(user ?? {}, file) };
}

/** Throws with the file's name and the error. */
export function loadUsers(file: string): ReadonlyMap<string, Pick<ConnectionSettings, 'cert' | 'key' | 'token'>> {
  return new Map((readConfig(file).users ?? []).map((user) => [user.name, identity((user['user'] ?? {}) as UserEntry, file)]));
}

function readConfig(file: string): ConfigFile {
  const { text, value } = documentIn(file);
  const problem = formProblem(value);
  const problems = problem === null ? withLines(text, shapeProblems(value as JsonValue, kubeconfigShape)) : [problem];
  if (problems.length > 0) throw new Error(`${file} is no kubeconfig: ${problems.join('; ')}`);
  return value as ConfigFile;
}

function documentIn(file: string): { readonly text: string; readonly value: unknown } {
  try {
    const text = fs.readFileSync(file, 'utf8');
    return { text, value: parse(text) ?? {} };
  } catch (cause) {
    const [reason] = errorText(cause).split('\n', 1);
    throw new Error(`${file} cannot be read as a kubeconfig: ${reason}`, { cause });
  }
}

/** Empty files, and files without version and kind, are valid as in the reference. */
function formProblem(value: unknown): string | null {
  if (!isObject(value as JsonValue)) return 'it holds no members';
  const { apiVersion = 'v1', kind = 'Config', ...members } = value as JsonObject;
  if (apiVersion !== 'v1' || kind !== 'Config') return `it holds ${String(apiVersion)} ${String(kind)}, not v1 Config`;
  const wrong = (['clusters', 'users', 'contexts'] as const).find((name) => !isListOfNamed(members[name] ?? []));
  return wrong === undefined ? null : `${wrong} must be a list of objects with names`;
}

const isListOfNamed = (value: JsonValue): boolean =>
  Array.isArray(value) && value.every((item) => isObject(item) && typeof item['name'] === 'string');

function entry<V>(
  entries: readonly Named[] | undefined,
  key: string,
  { name, file }: { readonly name: string | undefined; readonly file: string },
): V | null {
  if (!name) return null;
  const found = entries?.find((candidate) => candidate.name === name);
  if (!found) throw new Error(`${file}: there is no ${key} ${JSON.stringify(name)}`);
  return (found[key] ?? null) as V | null;
}

function trust(cluster: ClusterEntry, file: string): Partial<ConnectionSettings> {
  const ca = material(cluster['certificate-authority-data'], { place: cluster['certificate-authority'], file });
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cluster['insecure-skip-tls-verify'] ? { skipTlsVerify: true } : {}),
    ...(cluster['tls-server-name'] ? { tlsServerName: cluster['tls-server-name'] } : {}),
  };
}

function identity(user: UserEntry, file: string): Partial<ConnectionSettings> {
  const cert = material(user['client-certificate-data'], { place: user['client-certificate'], file });
  const key = material(user['client-key-data'], { place: user['client-key'], file });
  return { ...(cert === undefined ? {} : { cert }), ...(key === undefined ? {} : { key }), ...tokenOf(user, file) };
}

function tokenOf(user: UserEntry, file: string): Partial<ConnectionSettings> {
  const { token, tokenFile } = user;
  if (token) return { token: () => token };
  if (!tokenFile) return {};
  const place = path.resolve(path.dirname(file), tokenFile);
  let known = { mtimeMs: -1, token: '' };
  return {
    token: () => {
      const { mtimeMs } = fs.statSync(place);
      if (mtimeMs !== known.mtimeMs) known = { mtimeMs, token: fs.readFileSync(place, 'utf8').trim() };
      return known.token;
    },
  };
}

function material(
  data: string | undefined,
  { place, file }: { readonly place: string | undefined; readonly file: string },
): string | undefined {
  if (data) return Buffer.from(data, 'base64').toString('utf8');
  return place ? fs.readFileSync(path.resolve(path.dirname(file), place), 'utf8') : undefined;
}

/** Throws outside a pod. */
export function inClusterSettings(
  environment: Readonly<Record<string, string | undefined>>,
  folder = '/var/run/secrets/kubernetes.io/serviceaccount',
): ConnectionSettings {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment;
  if (!host || !port) throw new Error('no --kubeconfig and no --master, and this is not a pod: there is no server to talk to');
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return {
    server,
    ca: fs.readFileSync(path.join(folder, 'ca.crt'), 'utf8'),
    ...tokenOf({ tokenFile: path.join(folder, 'token') }, folder),
  };
}
