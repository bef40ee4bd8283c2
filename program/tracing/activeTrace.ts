import { AsyncLocalStorage } from 'node:async_hooks';

/** A part of a request's work that is being traced, wherever its code runs. */
export interface ActiveTrace {
  /** Headers of the W3C that hand the trace on to another program. */
  readonly headers: Readonly<Record<string, string>>;
  /** Begins a part of this part, which another program does. */
  child(
    name: string,
    attributes: Readonly<Record<string, string | number>>,
  ): { readonly headers: Readonly<Record<string, string>>; end(failure?: unknown): void };
}

/** Empty as long as nothing is traced: then asking costs next to nothing. */
export const activeTrace = new AsyncLocalStorage<ActiveTrace>();

/** What a request to another program has to carry. */
export const traceHeaders = (): Readonly<Record<string, string>> => activeTrace.getStore()?.headers ?? {};
