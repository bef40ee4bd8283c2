import { LineSplitter } from '../model/lines.js';

/** A refusal by the server. */
export class ApiError extends Error {
  constructor(
    readonly code: number,
    readonly reason: string,
    message: string,
  ) {
    super(message);
  }
}

export interface Asked {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly accept?: string;
  readonly body?: unknown;
  /** Content type of the body; JSON by default. */
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
}

export const tableType = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
/** A watch line is one object, at most as large as the store accepts, and its frame. */
const lineCharactersMax = 16 * 1024 * 1024;

/** A client of the public API as the signed-in user. Only it has the token. */
export class ApiClient {
  readonly #ended: () => void;

  readonly #token: string | null;

  /** `token` is null where the browser authenticates by a certificate. Calls `ended` when the server rejects the credentials. */
  constructor(token: string | null, ended: () => void = () => undefined) {
    this.#ended = ended;

    this.#token = token;
  }

  /** Returns the response as JSON. Rejects with an ApiError for a refusal. */
  async json<T>(path: string, asked: Asked = {}): Promise<T> {
    return (await (await this.#send(path, asked)).json()) as T;
  }

  async text(path: string, asked: Asked = {}): Promise<string> {
    return (await this.#send(path, { accept: '*/*', ...asked })).text();
  }

  /** Calls `line` with each line of JSON until the response ends. */
  async lines(path: string, line: (value: unknown) => void, asked: Asked): Promise<void> {
    const splitter = new LineSplitter(lineCharactersMax);
    await this.chunks(
      path,
      (text) => {
        for (const each of splitter.push(text)) line(JSON.parse(each));
      },
      asked,
    );
  }

  /** Calls `chunk` with the response's text as it comes. */
  async chunks(path: string, chunk: (text: string) => void, asked: Asked): Promise<void> {
    const { body } = await this.#send(path, asked);
    if (body === null) return;
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      chunk(value);
    }
  }

  /** Opens a WebSocket. Browsers cannot set headers on it, so the server's sub-protocol carries the token. */
  socket(path: string, protocol: string): WebSocket {
    const url = new URL(path, location.href);
    url.protocol = 'wss:';
    return new WebSocket(url, [
      protocol,
      ...(this.#token === null ? [] : [`base64url.bearer.authorization.k8s.io.${base64url(this.#token)}`]),
    ]);
  }

  async #send(
    path: string,
    { method = 'GET', accept = 'application/json', body, contentType = 'application/json', signal }: Asked,
  ): Promise<Response> {
    const response = await fetch(path, {
      method,
      headers: {
        accept,
        ...(this.#token === null ? {} : { authorization: `Bearer ${this.#token}` }),
        ...(body === undefined ? {} : { 'content-type': contentType }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
      cache: 'no-store',
      redirect: 'error',
    });
    if (response.ok) return response;
    const text = await response.text();
    if (response.status === 401) this.#ended();
    throw errorIn(response.status, text);
  }
}

const base64url = (text: string): string => btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

function errorIn(code: number, text: string): ApiError {
  try {
    const { message, reason } = JSON.parse(text) as { readonly message?: string; readonly reason?: string };
    return new ApiError(code, reason ?? '', message ?? text);
  } catch {
    return new ApiError(code, '', text.trim() === '' ? `the server answered ${code}` : text.slice(0, 500));
  }
}

/** Returns the server's name of the user; null if unauthenticated. */
export async function whoAmI(client: ApiClient): Promise<string | null> {
  const review = await client.json<{ readonly status?: { readonly userInfo?: { readonly username?: string } } }>(
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    { method: 'POST', body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' } },
  );
  const name = review.status?.userInfo?.username;
  return name === undefined || name === 'system:anonymous' ? null : name;
}

/** Returns the token of a launcher's link. */
export async function redeem(code: string): Promise<string> {
  const { token } = await new ApiClient(null).json<{ readonly token: string }>('/console/sessions', { method: 'POST', body: { code } });
  return token;
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Falls back if something is forbidden or does not exist. */
export const optional = <T>(asked: Promise<T>, otherwise: T): Promise<T> =>
  asked.catch((error: unknown) => {
    if (error instanceof ApiError) return otherwise;
    throw error;
  });
