import { AsyncLocalStorage } from 'node:async_hooks';

/** A traced part of a request's work, wherever its code runs. */
export interface ActiveTrace {
  readonly headers: Readonly<Record<string, string>>;
  child(
    name: string,
    attributes: Readonly<Record<string, string | number>>,
  ): { readonly headers: Readonly<Record<string, string>>; end(failure?: unknown): void };
}

/** Reading it costs next to nothing while nothing is traced. */
export const activeTrace = new AsyncLocalStorage<ActiveTrace>();

export const traceHeaders = (): Readonly<Record<string, string>> => activeTrace.getStore()?.headers ?? {};
