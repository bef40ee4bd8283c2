import type { AdmissionPlugin, AdmissionRequest } from '../../registry/admission.js';
import { timed } from '../../../program/tracing/requestLatency.js';
import { subjectOf } from '../matching/match.js';
import { onceSynced } from '../synced.js';
import type { Addressed } from '../matching/rules.js';
import { HookCaller, type CallerParts } from './caller.js';
import { hooksFor, type FollowedHooks } from './configurations.js';
import type { Hook } from './hook.js';

/** Calls validating webhooks in parallel. The client receives the first refusal to arrive. */
export function validatingWebhooks(followed: FollowedHooks, parts: CallerParts): AdmissionPlugin {
  const caller = new HookCaller('validating', parts);
  return {
    name: 'ValidatingAdmissionWebhook',
    resources: null,
    connects: true,
    validate: onceSynced(followed.synced, (request: AdmissionRequest) => {
      const hooks = hooksFor(followed, request);
      return hooks.length > 0 ? timed(request.latency, 'validating-webhook', () => ask(hooks, request, caller, parts)) : undefined;
    }),
  };
}

async function ask(hooks: readonly Hook[], request: AdmissionRequest, caller: HookCaller, parts: CallerParts): Promise<void> {
  const subject = subjectOf(request, parts);
  const wanted: { readonly hook: Hook; readonly matched: Addressed }[] = [];
  for (const hook of hooks) {
    const matched = await caller.wants(hook, subject);
    if (matched !== null) wanted.push({ hook, matched });
  }
  const refusals: Error[] = [];
  // All are awaited: their warnings and annotations count as well.
  await Promise.all(
    wanted.map(async ({ hook, matched }, index) => {
      const answer = await caller.call(hook, matched, subject, { round: 0, index });
      if (answer.outcome === 'refused') refusals.push(answer.error);
    }),
  );
  const [first] = refusals;
  if (first !== undefined) throw first;
}
