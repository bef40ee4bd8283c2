import { AsyncLocalStorage } from 'node:async_hooks';

/** A traced part of a request's work, wherever its code runs. */
export interface ActiveTrace {
  readonly headers: Readonly<Record<string, string>>;
  /** Begins a child span that another program carries out. */
  child(
    name: string,
    attributes: Readonly<Record<string, string | number>>,
  ): { readonly headers: Readonly<Record<string, string>>; end(failure?: unknown): void };
}

/** Empty as long as nothing is traced: then reading it costs next to nothing. */
export const activeTrace = new AsyncLocalStorage<ActiveTrace>();

/** Returns the headers that a request to another program must carry. */
export const traceHeaders = (): Readonly<Record<string, string>> => activeTrace.getStore()?.headers ?? {};
