import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { messageOf, type ApiClient } from '../api/client.js';
import { pathOf, type Resource } from '../api/resources.js';
import { t } from '../english.js';
import type { Row, TableModel } from '../model/tableModel.js';
import { DeletionDialog, type DeleteOptions } from './actions.js';

export interface Selection {
  readonly keys: ReadonlySet<string>;
  /** The selected rows that still exist. */
  readonly rows: readonly Row[];
  readonly toggle: (row: Row) => void;
  readonly clear: () => void;
}

export function useSelection(model: TableModel): Selection {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  return {
    keys,
    rows: keys.size === 0 ? [] : model.rows.filter(({ key }) => keys.has(key)),
    toggle: ({ key }) => {
      const next = new Set(keys);
      if (!next.delete(key)) next.add(key);
      setKeys(next);
    },
    clear: () => setKeys(new Set()),
  };
}

interface BarProps {
  readonly client: ApiClient;
  readonly resource: Resource;
  readonly selection: Selection;
}

export function SelectionBar({ client, resource, selection }: BarProps): VNode {
  const [asks, setAsks] = useState(false);
  const { rows, clear } = selection;
  const act = async (body: DeleteOptions): Promise<void> => {
    const failed: string[] = [];
    for (const { object } of rows) {
      const { name, namespace = '' } = object.metadata;
      await client
        .json(pathOf(resource, namespace, name), { method: 'DELETE', body })
        .catch((error: unknown) => failed.push(`${name} (${messageOf(error)})`));
    }
    if (failed.length > 0) throw new Error(t.objects.notDeleted(failed));
    clear();
  };
  return (
    <p class="toolbar" role="group" aria-label={t.objects.selected(rows.length)}>
      <b>{t.objects.selected(rows.length)}</b>
      {resource.verbs.includes('delete') ? (
        <button type="button" class="danger" onClick={() => setAsks(true)}>
          {t.objects.delete}
        </button>
      ) : null}
      <button type="button" class="quiet" onClick={clear}>
        {t.objects.unselect}
      </button>
      {asks ? <DeletionDialog label={t.objects.deleteMany(rows.length)} act={act} done={() => setAsks(false)} /> : null}
    </p>
  );
}
