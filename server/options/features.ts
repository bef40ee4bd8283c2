import { inGroup } from '../catalogue/flags/flag.js';
import type { ApiServerOptions } from './apiserver.js';

/** Features that can be switched, and whether they are on unless told. Other names are accepted and change nothing. */
const defaults = {
  APIResponseCompression: true,
  AllowUnsafeMalformedObjectDeletion: false,
  AuthorizePodWebsocketUpgradeCreatePermission: true,
  CBORServingAndStorage: false,
  WatchList: true,
} as const;

/** In place of the option of both programs: here it has an effect. */
export const featureFlags = inGroup('General', {
  'feature-gates': {
    kind: 'gates',
    default: {},
    check: (value) => (/^(true|false)$/.test(value) ? null : 'true or false'),
    help: `Features to switch on or off, as [component:]Feature=true|false: ${Object.keys(defaults).join(', ')}. Others are named in the log and change nothing.`,
  },
});

export type Features = Readonly<Record<keyof typeof defaults, boolean>>;

/** Reads `--feature-gates`; `AllAlpha` and the like are not looked at. */
export function featuresOf(options: Pick<ApiServerOptions, 'feature-gates'>): Features {
  const told = options['feature-gates'];
  const entries = Object.entries(defaults).map(([name, on]) => [name, Object.hasOwn(told, name) ? told[name] === 'true' : on]);
  return Object.fromEntries(entries) as Features;
}

/** Names given that no code looks at; the log should say so. */
export const unknownFeatures = (options: Pick<ApiServerOptions, 'feature-gates'>): string[] =>
  Object.keys(options['feature-gates']).filter((name) => !Object.hasOwn(defaults, name));
