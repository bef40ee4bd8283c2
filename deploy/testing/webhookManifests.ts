import type { KubeObject } from '../../api/meta/object.js';

export interface WebhookAddress {
  /** `https://127.0.0.1:port/`; paths of manifests are added. */
  readonly url: string;
  /** Authorities of its certificate, in base64. */
  readonly caBundle: string;
}

interface ClientConfig {
  readonly url?: string;
  readonly service?: { readonly path?: string };
}

type Configuration = KubeObject & { readonly webhooks?: readonly { readonly clientConfig?: ClientConfig }[] };
type Definition = KubeObject & {
  readonly spec: { readonly conversion?: { readonly strategy?: string; readonly webhook?: { readonly clientConfig?: ClientConfig } } };
};

/** Tells which manifests name webhooks. */
export const namesWebhooks = ({ kind = '' }: KubeObject): boolean =>
  /^(Mutating|Validating)WebhookConfiguration$|^CustomResourceDefinition$/.test(kind);

/** Redirects the webhooks of a manifest to `address`: the path of a service or URL stays, and the CA bundle is filled in. */
export function pointedTo(object: KubeObject, address: WebhookAddress): KubeObject {
  const to = ({ url, service }: ClientConfig = {}): WebhookAddress => {
    const { pathname } = new URL(service?.path ?? url ?? '/', address.url);
    return { url: new URL(pathname, address.url).href, caBundle: address.caBundle };
  };
  if (object.kind !== 'CustomResourceDefinition') {
    const { webhooks = [] } = object as Configuration;
    return { ...object, webhooks: webhooks.map((hook) => ({ ...hook, clientConfig: to(hook.clientConfig) })) } as KubeObject;
  }
  const { spec } = object as Definition;
  if (spec.conversion?.strategy !== 'Webhook') return object;
  const webhook = { ...spec.conversion.webhook, clientConfig: to(spec.conversion.webhook?.clientConfig) };
  return { ...object, spec: { ...spec, conversion: { ...spec.conversion, webhook } } } as KubeObject;
}
