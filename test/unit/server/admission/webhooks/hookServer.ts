import type { Admission } from '../../../../../server/registry/admission.js';
import { createAdmission } from '../../../../../server/admission/chain.js';
import { createPlugins } from '../../../../../server/admission/plugins.js';
import { convertBuiltIn } from '../../../../../server/admission/matching/versions.js';
import type { CallerParts } from '../../../../../server/admission/webhooks/caller.js';
import { followHooks } from '../../../../../server/admission/webhooks/configurations.js';
import type { ObservedCall } from '../../../../../server/admission/webhooks/metrics.js';
import { mutatingWebhooks } from '../../../../../server/admission/webhooks/mutating.js';
import { validatingWebhooks } from '../../../../../server/admission/webhooks/validating.js';
import type { JsonObject } from '../../../../../api/object.js';
import { createCatalogue } from '../../../../../server/kinds/index.js';
import { clusterAddresses } from '../../../../../server/registry/serviceAddresses.js';
import type { Storage } from '../../../../../server/storage/contract.js';
import type { RequestLatency } from '../../../../../program/tracing/requestLatency.js';
import { createHookClients } from '../../../../../server/webhook/hookClients.js';
import { startTestServer } from '../../endpoints/harness.js';

export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
  readonly warnings: readonly string[];
}

/** The endpoints with admission webhooks, over storage in memory. */
export interface HookServer {
  readonly storage: Storage;
  /** Metrics of calls. */
  readonly calls: ObservedCall[];
  readonly failedOpen: string[];
  /** Audit annotations: key, text and minimum level. */
  readonly annotations: (readonly [key: string, text: string, level: string | undefined])[];
  /** The changed parts in the last admitted request. */
  parts(): readonly string[];
  request(method: string, path: string, body?: JsonObject | null, type?: string): Promise<Answer>;
  /** Creates a configuration of one webhook and waits until it is effective. */
  configure(kind: 'mutating' | 'validating', hook: JsonObject, name?: string): Promise<void>;
  clear(): Promise<void>;
  close(): Promise<void>;
}

const kinds = { mutating: 'MutatingWebhookConfiguration', validating: 'ValidatingWebhookConfiguration' } as const;
const configurations = '/apis/admissionregistration.k8s.io/v1';

export async function startHookServer(admissionPlugins: ReadonlySet<string> = new Set()): Promise<HookServer> {
  const calls: ObservedCall[] = [];
  const failedOpen: string[] = [];
  const annotations: HookServer['annotations'] = [];
  let latency: RequestLatency | undefined;
  let made: { readonly admission: Admission; readonly storage: Storage; readonly close: () => void } | null = null;
  const make = (storage: Storage): void => {
    const clients = createHookClients({ resolve: clusterAddresses(storage), identityFor: () => ({}) });
    const parts: CallerParts = {
      storage,
      catalogue: createCatalogue(),
      clients,
      convert: convertBuiltIn,
      askAuthorizer: () => ({ allowed: false, reason: '' }),
      report: () => {},
      metrics: {
        called: (call) => {
          calls.push(call);
        },
        failedOpen: (name) => {
          failedOpen.push(name);
        },
        excluded: () => {},
      },
    };
    const [mutating, validating] = [followHooks('mutating', storage, () => {}), followHooks('validating', storage, () => {})];
    const enabled = new Set([...admissionPlugins, 'MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook']);
    const admission = createAdmission(
      createPlugins({ storage, enabled, others: [mutatingWebhooks(mutating, parts), validatingWebhooks(validating, parts)] }),
    );
    made = {
      admission,
      storage,
      close: () => {
        mutating.stop();
        validating.stop();
        clients.close();
      },
    };
  };
  const parts = (): NonNullable<typeof made> => {
    if (made === null) throw new Error('not started');
    return made;
  };
  const server = await startTestServer(undefined, {
    wrap: (storage) => {
      make(storage);
      return storage;
    },
    registry: {
      admission: {
        admit: (request) =>
          parts().admission.admit({
            ...request,
            annotate: (...annotation) => {
              annotations.push([annotation[0], annotation[1], annotation[2]]);
            },
          }),
        validate: (request) => {
          latency = request.latency;
          return parts().admission.validate(request);
        },
      },
    },
  });
  const request: HookServer['request'] = async (method, path, body = null, type = 'application/json') => {
    const answer = await fetch(`${server.url}${path}`, {
      method,
      ...(body === null ? {} : { body: JSON.stringify(body), headers: { 'content-type': type } }),
    });
    return {
      status: answer.status,
      body: (await answer.json()) as JsonObject,
      warnings: (answer.headers.get('warning') ?? '').split(', ').filter((text) => text !== ''),
    };
  };
  return {
    storage: parts().storage,
    calls,
    failedOpen,
    annotations,
    parts: () => Object.keys(latency?.times ?? {}),
    request,
    async configure(kind, hook, name = 'w') {
      const answer = await request('POST', `${configurations}/${kinds[kind].toLowerCase()}s`, {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: kinds[kind],
        metadata: { name },
        webhooks: [{ name: `${name}.example.com`, sideEffects: 'None', admissionReviewVersions: ['v1'], ...hook }],
      });
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    },
    async clear() {
      for (const kind of Object.values(kinds)) await request('DELETE', `${configurations}/${kind.toLowerCase()}s`);
      calls.length = 0;
      failedOpen.length = 0;
      annotations.length = 0;
    },
    async close() {
      parts().close();
      await server.close();
    },
  };
}
