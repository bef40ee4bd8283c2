import { ApiError, tableType, type ApiClient } from './client.js';
import type { Column, RowEvent, TableRow } from '../model/tableModel.js';

interface Table {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly columnDefinitions?: readonly Column[];
  readonly rows?: readonly TableRow[];
}

export interface Selection {
  readonly path: string;
  readonly labels: string;
  readonly fields: string;
}

export interface TableSink {
  listed(columns: readonly Column[], rows: readonly TableRow[]): void;
  changed(events: readonly RowEvent[]): void;
  state(state: 'listing' | 'live' | 'reconnecting', error: ApiError | null): void;
}

const chunk = 2_000;
const againMs = 1_000;

interface Following {
  readonly client: ApiClient;
  readonly selection: Selection;
  readonly sink: TableSink;
  readonly signal: AbortSignal;
}

/** Lists a collection as a table and follows it until the signal aborts. Resumes or lists anew after a broken watch. */
export async function followTable(client: ApiClient, selection: Selection, sink: TableSink, signal: AbortSignal): Promise<void> {
  const following: Following = { client, selection, sink, signal };
  let version: string | null = null;
  while (!signal.aborted) {
    try {
      if (version === null) {
        sink.state('listing', null);
        version = await list(following);
      }
      sink.state('live', null);
      version = await watch(following, version);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && error.code === 410) version = null;
      sink.state('reconnecting', error instanceof ApiError ? error : null);
      // Permissions and names may change, but the server must not be queried continually.
      const isRefusal = error instanceof ApiError && error.code < 500 && error.code !== 410 && error.code !== 429;
      await pause(isRefusal ? againMs * 10 : againMs, signal);
    }
  }
}

function query(selection: Selection, more: Readonly<Record<string, string>>): string {
  const parameters = new URLSearchParams(more);
  if (selection.labels !== '') parameters.set('labelSelector', selection.labels);
  if (selection.fields !== '') parameters.set('fieldSelector', selection.fields);
  return `${selection.path}?${parameters.toString()}`;
}

async function list({ client, selection, sink, signal }: Following): Promise<string> {
  const rows: TableRow[] = [];
  let columns: readonly Column[] = [];
  let next = '';
  for (;;) {
    const page: Table = await client.json(query(selection, { limit: String(chunk), ...(next === '' ? {} : { continue: next }) }), {
      accept: tableType,
      signal,
    });
    columns = page.columnDefinitions ?? columns;
    for (const row of page.rows ?? []) rows.push(row);
    next = page.metadata?.continue ?? '';
    if (next !== '') continue;
    sink.listed(columns, rows);
    return page.metadata?.resourceVersion ?? '';
  }
}

async function watch({ client, selection, sink, signal }: Following, from: string): Promise<string> {
  let version = from;
  let batch: RowEvent[] = [];
  let due = false;
  // Notifies the view once for many changes in one turn.
  const flush = (): void => {
    due = false;
    if (batch.length === 0 || signal.aborted) return;
    sink.changed(batch);
    batch = [];
  };
  const take = (value: unknown): void => {
    const { type, object } = value as {
      readonly type: string;
      readonly object: Table & { readonly code?: number; readonly message?: string };
    };
    if (type === 'ERROR') throw new ApiError(object.code ?? 500, '', object.message ?? '');
    const row = object.rows?.[0];
    const at = row?.object.metadata as { readonly resourceVersion?: string } | undefined;
    version = at?.resourceVersion ?? object.metadata?.resourceVersion ?? version;
    if (type === 'BOOKMARK' || row === undefined) return;
    batch.push({ type: type as RowEvent['type'], row });
    if (due) return;
    due = true;
    queueMicrotask(flush);
  };
  const path = query(selection, { watch: 'true', allowWatchBookmarks: 'true', resourceVersion: from });
  await client.lines(path, take, { accept: tableType, signal });
  return version;
}

/** Never rejects: callers check the signal afterwards. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
