import { statSync } from 'node:fs';
import path from 'node:path';
import { checkPluginConfiguration, type PluginConfigurations, type PluginKind } from '../admission/configuration.js';
import { manifestFiles } from '../admission/manifests/files.js';
import { loadManifests, manifestKinds, type LoadParts } from '../admission/manifests/load.js';
import { PolicyIndex, type PolicyResources } from '../admission/policies/following.js';
import { bindingOf, type Policy } from '../admission/policies/policy.js';
import { hooksOf, type Hook } from '../admission/webhooks/hook.js';
import { HookIndex } from '../admission/webhooks/hookIndex.js';
import type { ApiObject } from '../../api/object.js';
import type { LiveFiles } from '../../program/files/liveFile.js';
import type { Logger } from '../../program/log/logger.js';
import type { ManifestMetrics } from '../admission/manifests/metrics.js';

export interface AdmissionManifestParts extends LoadParts {
  readonly configurations: PluginConfigurations;
  readonly live: LiveFiles;
  readonly counts: ManifestMetrics;
  readonly log: Logger;
}

type Objects = ReadonlyMap<string, readonly ApiObject[]>;

export const policyKinds: Readonly<Record<string, PluginKind>> = Object.fromEntries(
  ['ValidatingAdmissionPolicy', 'MutatingAdmissionPolicy'].map((plugin) => [
    plugin,
    { kind: `${plugin}Configuration`, apiVersions: ['apiserver.config.k8s.io/v1'], fields: { staticManifestsDir: 'text' } },
  ]),
);

/** Webhooks and policies from files, one folder per plugin, in effect while their files exist. */
export class AdmissionManifests {
  readonly #parts: AdmissionManifestParts;

  constructor(parts: AdmissionManifestParts) {
    this.#parts = parts;
  }

  /** Null where the plugin has no folder. Throws for invalid manifests. */
  hooks(plugin: string, resource: string): HookIndex | null {
    const index = new HookIndex();
    return this.#follow(plugin, (objects) => {
      const hooks = new Map((objects.get(resource) ?? []).map((object) => [object.metadata.name ?? '', manifestHooks(object)] as const));
      return () => {
        index.replace(hooks);
      };
    })
      ? index
      : null;
  }

  policies<P extends Policy>(plugin: string, resources: PolicyResources, read: (object: ApiObject) => P): PolicyIndex<P> | null {
    const index = new PolicyIndex<P>();
    return this.#follow(plugin, (objects) => {
      const policies = (objects.get(resources.policies) ?? []).map(read);
      const bindings = (objects.get(resources.bindings) ?? []).map(bindingOf);
      return () => {
        index.policies.clear();
        index.bindings.clear();
        for (const policy of policies) index.policies.set(policy.name, policy);
        for (const binding of bindings) index.bindings.set(binding.name, binding);
        index.changed();
      };
    })
      ? index
      : null;
  }

  /** `make` may throw; its result puts the objects into effect and must not. */
  #follow(plugin: string, make: (objects: Objects) => () => void): boolean {
    const { live, counts, log } = this.#parts;
    const [folder, allowed] = [this.#folderOf(plugin), manifestKinds[plugin]];
    if (folder === null || allowed === undefined) return false;
    const read = (): { readonly apply: () => void; readonly hash: string } => {
      const { objects, hash } = loadManifests(folder, allowed, this.#parts);
      return { apply: make(objects), hash };
    };
    const use = ({ apply, hash }: ReturnType<typeof read>): void => {
      apply();
      counts.loaded(plugin, { hash });
    };
    const followed = live.follow({
      files: () => [folder, ...filesIn(folder)],
      read,
      failed: (error) => {
        counts.reloaded(plugin, 'failure');
        log.error('manifests cannot be used; the earlier ones stay', { plugin, error });
      },
      changed: (now) => {
        use(now);
        counts.reloaded(plugin, 'success');
        log.info('manifests were read again', { plugin });
      },
    });
    use(followed.current);
    // The reference counts the first read as well.
    counts.reloaded(plugin, 'success');
    return true;
  }

  #folderOf(plugin: string): string | null {
    const configuration = this.#parts.configurations.get(plugin);
    if (configuration === undefined) return null;
    const kind = policyKinds[plugin];
    if (kind !== undefined) checkPluginConfiguration(plugin, configuration, kind);
    const folder = configuration['staticManifestsDir'] ?? '';
    if (folder === '') return null;
    const refuse = (why: string): never => {
      throw new Error(`the configuration of ${plugin}: staticManifestsDir ${why}`);
    };
    if (!this.#parts.enabled('ManifestBasedAdmissionControlConfig')) return refuse('needs the feature ManifestBasedAdmissionControlConfig');
    if (typeof folder !== 'string' || !path.isAbsolute(folder)) return refuse('must be an absolute path');
    return isFolder(folder) ? folder : refuse(`must be a directory that can be read: ${folder}`);
  }
}

/** The id keeps them apart from those of the API. */
const manifestHooks = (object: ApiObject): readonly Hook[] => hooksOf(object).map((hook) => ({ ...hook, id: `manifest/${hook.id}` }));

function filesIn(folder: string): readonly string[] {
  try {
    return manifestFiles(folder);
  } catch {
    return [];
  }
}

function isFolder(folder: string): boolean {
  try {
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}
