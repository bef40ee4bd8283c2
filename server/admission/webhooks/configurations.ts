import type { Storage } from '../../storage/contract.js';
import type { AdmissionRequest } from '../../registry/admission.js';
import { isExempt } from './exempt.js';
import { hooksOf, type Hook, type HookKind } from './hook.js';
import { HookIndex } from './hookIndex.js';
import { followGuards, type UnreadGuards } from '../unreadGuards.js';

const resources: Readonly<Record<HookKind, string>> = {
  mutating: 'mutatingwebhookconfigurations',
  validating: 'validatingwebhookconfigurations',
};

export interface FollowedHooks {
  readonly index: HookIndex;
  /** Stored configurations that could not be read, with the reason. */
  readonly unread: UnreadGuards;
  /** Webhooks from manifests, or null. The API cannot remove them, so they also apply to webhooks and policies. */
  readonly manifests: HookIndex | null;
  /** Settles once all configurations are known; no request passes before. */
  readonly synced: Promise<void>;
  stop(): void;
}

const none: readonly Hook[] = [];

/** Returns candidate webhooks, those from manifests first. Throws if an unreadable one may apply. */
export function hooksFor(
  { index, manifests, unread }: Pick<FollowedHooks, 'index' | 'manifests' | 'unread'>,
  request: AdmissionRequest,
): readonly Hook[] {
  const exempt = isExempt(request);
  if (!exempt) unread.demandNone();
  const own = exempt ? none : index.candidates(request);
  const first = manifests?.candidates(request) ?? none;
  return first.length === 0 ? own : [...first, ...own];
}

/** Follows the webhooks of one kind in this replica's applied state. */
export function followHooks(
  kind: HookKind,
  storage: Pick<Storage, 'watch'>,
  report: (error: unknown, configuration: string) => void,
  manifests: HookIndex | null = null,
): FollowedHooks {
  const index = new HookIndex();
  const following = followGuards(
    storage,
    resources[kind],
    {
      put: (name, object) => {
        index.put(name, hooksOf(object));
      },
      remove: (name) => {
        index.remove(name);
      },
      has: (name) => index.has(name),
    },
    report,
  );
  return { index, manifests, ...following };
}
