import type { Storage } from '../../storage/contract.js';
import { follow } from '../../storage/follow.js';
import { hooksOf, type HookKind } from './hook.js';
import { HookIndex } from './hookIndex.js';

const resources: Readonly<Record<HookKind, string>> = {
  mutating: 'mutatingwebhookconfigurations',
  validating: 'validatingwebhookconfigurations',
};

export interface FollowedHooks {
  readonly index: HookIndex;
  /** Settles once all configurations are known; until then nothing may pass. */
  readonly synced: Promise<void>;
  stop(): void;
}

/** The webhooks of one kind, as this replica's state has them: changes count as soon as they are applied here. */
export function followHooks(
  kind: HookKind,
  storage: Pick<Storage, 'watch'>,
  report: (error: unknown, configuration: string) => void,
): FollowedHooks {
  const index = new HookIndex();
  const following = follow(
    storage,
    { group: 'admissionregistration.k8s.io', resource: resources[kind] },
    {
      put(object) {
        try {
          index.put(object.name, hooksOf(object.decode()));
        } catch (error) {
          // What was known of it before stays: a guard that cannot be read any more must not fall.
          report(error, object.name);
        }
      },
      remove(_namespace, name) {
        index.remove(name);
      },
    },
  );
  return {
    index,
    synced: following.synced,
    stop: () => {
      following.stop();
    },
  };
}
