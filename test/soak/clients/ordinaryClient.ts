/** A config map as the server returns it. */
export interface Stored {
  readonly name: string;
  readonly resourceVersion: string;
  readonly text: string;
}

/** The ways to patch one member. */
export const patchKinds = ['merge', 'strategic', 'json'] as const;
export type PatchKind = (typeof patchKinds)[number];

/** The response to a request: status, and the object if the client has it. */
export interface Reply {
  readonly status: number;
  readonly object: Stored | null;
}

/** Requests for config maps of one user, by one library or program. A request without a response rejects. */
export interface OrdinaryClient {
  create(name: string, text: string): Promise<Reply>;
  read(name: string): Promise<Reply>;
  /** `resourceVersion` is a precondition. */
  replace(name: string, text: string, resourceVersion: string): Promise<Reply>;
  patch(name: string, text: string, kind: PatchKind): Promise<Reply>;
  remove(name: string): Promise<Reply>;
  list(): Promise<{ readonly status: number; readonly items: readonly Stored[] }>;
  /** Deletes the user's objects in one request. */
  removeAll(): Promise<Reply>;
  close(): void;
}

/** A client's user and server. */
export interface ClientPlace {
  readonly user: string;
  readonly namespace: string;
  /** A server or the balancer. */
  readonly address: string;
  /** A kubeconfig for that address. */
  readonly kubeconfig: string;
  readonly files: { readonly ca: string; readonly certificate: string; readonly key: string };
}

export const userLabel = 'soak-user';

/** A config map for a request. */
export function configMapOf(
  { user, namespace }: Pick<ClientPlace, 'user' | 'namespace'>,
  name: string,
  text: string,
  resourceVersion?: string,
) {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels: { [userLabel]: user }, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    data: { text },
  };
}

interface ConfigMapLike {
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly resourceVersion?: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** The config map in an answer; null for a Status. */
export function storedOf({ kind, metadata, data }: ConfigMapLike): Stored | null {
  if (kind === 'Status') return null;
  return { name: metadata?.name ?? '', resourceVersion: metadata?.resourceVersion ?? '', text: data?.['text'] ?? '' };
}

export const patchBody: Readonly<Record<PatchKind, (text: string) => object>> = {
  merge: (text) => ({ data: { text } }),
  strategic: (text) => ({ data: { text } }),
  json: (text) => [{ op: 'replace', path: '/data/text', value: text }],
};
