import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ViewProps } from './viewProps.js';
import { messageOf, type ApiClient } from '../api/client.js';
import { discover, pathOf, type Resource } from '../api/resources.js';
import { followTable } from '../api/watch.js';
import { t } from '../english.js';
import { categories, categoryOf, type Category } from '../model/categories.js';
import { hashOf, objectsPlaceIn, type ObjectsPlace } from '../model/place.js';
import { rowKey, shownRows, TableModel, type Column, type Order, type Row, type RowObject } from '../model/tableModel.js';
import { useFrames, useKeys, useRun } from '../parts/hooks.js';
import { Heading, Problem } from '../parts/words.js';
import { Create } from './create.js';
import { Detail } from './detail.js';
import { ObjectTable } from './objectTable.js';
import { SelectionBar, useSelection } from './selection.js';

/** Any resource, as the server's own tables show it, live. */
export function Objects({ client, rest }: ViewProps): VNode {
  const [resources, setResources] = useState<readonly Resource[]>([]);
  const [problem, setProblem] = useState('');
  const place = objectsPlaceIn(rest);
  useEffect(() => {
    discover(client).then(setResources, (error: unknown) => setProblem(messageOf(error)));
  }, [client]);
  const resource = resources.find((each) => each.group === place.group && each.resource === place.resource);
  return (
    <div class="objects">
      <ResourceList resources={resources} place={place} />
      <div class="objects-main">
        {problem === '' ? null : <Problem>{problem}</Problem>}
        {resource === undefined ? null : (
          <Collection
            key={`${resource.group}/${resource.resource}`}
            client={client}
            resource={resource}
            resources={resources}
            place={place}
          />
        )}
      </div>
    </div>
  );
}

function ResourceList({ resources, place }: { readonly resources: readonly Resource[]; readonly place: ObjectsPlace }): VNode {
  const [text, setText] = useState('');
  const groups = useMemo(() => {
    const found = new Map<Category, Resource[]>(categories.map((category) => [category, []]));
    for (const each of resources)
      if (`${each.resource} ${each.kind} ${each.group}`.toLowerCase().includes(text.trim().toLowerCase()))
        found.get(categoryOf(each))?.push(each);
    return [...found].filter(([, list]) => list.length > 0);
  }, [resources, text]);
  return (
    <aside class="resources">
      <label class="unseen" for="find-resource">
        {t.objects.findResource}
      </label>
      <input
        id="find-resource"
        type="search"
        placeholder={t.objects.findResource}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <nav aria-label={t.objects.resource} tabIndex={0}>
        {groups.map(([category, list]) => (
          <div key={category}>
            <h2>{t.categories[category]}</h2>
            <ul>
              {list.map((each) => (
                <li>
                  <a
                    href={hashOf({ ...each, namespace: each.namespaced ? place.namespace : '', name: '' })}
                    title={each.group === '' ? t.objects.core : each.group}
                    aria-current={each.group === place.group && each.resource === place.resource ? 'true' : undefined}
                  >
                    {each.resource}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
    </aside>
  );
}

interface CollectionProps {
  readonly client: ApiClient;
  readonly resource: Resource;
  readonly resources: readonly Resource[];
  readonly place: ObjectsPlace;
}

interface Live {
  readonly model: TableModel;
  columns: readonly Column[];
  state: 'listing' | 'live' | 'reconnecting';
  problem: string;
  changes: number;
  /** Changes in each of the last seconds. */
  rate: number;
}

/** Rows are not sorted or filtered again for each frame. */
const viewEveryMs = 250;

function Collection({ client, resource, resources, place }: CollectionProps): VNode {
  const [selector, setSelector] = useState({ labels: '', fields: '' });
  const [text, setText] = useState('');
  const [order, setOrder] = useState<Order | null>(null);
  const [wide, setWide] = useState(false);
  const { name, namespace, within = namespace } = place;
  const opened: Named | null = name === '' ? null : { name, namespace: within };
  const [creates, setCreates] = useState(false);
  const live = useLiveTable(client, pathOf(resource, place.namespace), selector);
  const selection = useSelection(live.model);

  const rows = useShown(live.model, text, order);
  const columns = live.columns.filter(({ priority }) => wide || priority === 0);
  return (
    <>
      <div class="heading-row">
        <Heading text={resource.kind} />
        <button type="button" aria-expanded={creates} onClick={() => setCreates(!creates)}>
          {t.create.open}
        </button>
      </div>
      {creates ? <Create client={client} resources={resources} namespace={place.namespace} close={() => setCreates(false)} /> : null}
      <Filters
        client={client}
        resource={resource}
        place={place}
        text={text}
        setText={setText}
        setSelector={setSelector}
        wide={wide}
        setWide={setWide}
      />
      <TableState live={live} shown={rows.length} />
      {live.problem === '' ? null : <Problem>{live.problem}</Problem>}
      {selection.rows.length === 0 ? null : <SelectionBar client={client} resource={resource} selection={selection} />}
      <div class={`split ${opened === null ? '' : 'open'}`}>
        <ObjectTable
          label={t.objects.table(resource.resource)}
          columns={columns}
          all={live.columns}
          rows={rows}
          namespaced={resource.namespaced && place.namespace === ''}
          order={order}
          setOrder={setOrder}
          opened={opened === null ? null : keyOf(opened)}
          open={({ object }) => open(place, object.metadata)}
          selected={selection.keys}
          select={selection.toggle}
          listed={live.state !== 'listing'}
        />
        {opened === null ? null : (
          <Detail
            key={keyOf(opened)}
            client={client}
            resource={resource}
            resources={resources}
            namespace={within}
            name={name}
            close={() => open(place, null)}
          />
        )}
      </div>
    </>
  );
}

interface Selector {
  readonly labels: string;
  readonly fields: string;
}

type Named = RowObject['metadata'];
const keyOf = (metadata: Named): string => rowKey({ metadata });

/** Opens an object, or none, by the address, so that reload and the browser's history work. */
function open({ group, resource, namespace }: ObjectsPlace, named: Named | null): void {
  const within = namespace === '' ? named?.namespace : undefined;
  location.hash = hashOf({ group, resource, namespace, name: named?.name ?? '', ...(within === undefined ? {} : { within }) });
}

/** Follows the table of a collection. */
function useLiveTable(client: ApiClient, path: string, selector: Selector): Live {
  const [live] = useState<Live>(() => ({ model: new TableModel(), columns: [], state: 'listing', problem: '', changes: 0, rate: 0 }));
  const draw = useFrames();
  useRun(
    (signal) => {
      live.model.reset([]);
      const sink: Parameters<typeof followTable>[2] = {
        listed: (columns, rows) => {
          live.columns = columns;
          live.model.reset(rows);
          draw();
        },
        changed: (events) => {
          const now = performance.now();
          for (const event of events) live.model.apply(event, now);
          live.changes += events.length;
          draw();
        },
        state: (state, error) => {
          live.state = state;
          live.problem = error?.message ?? '';
          draw();
        },
      };
      void followTable(client, { path, ...selector }, sink, signal);
      const timer = setInterval(() => {
        [live.rate, live.changes] = [live.changes, 0];
        draw();
      }, 1_000);
      signal.addEventListener('abort', () => clearInterval(timer));
    },
    [client, path, selector],
  );
  return live;
}

const TableState = ({ live, shown }: { readonly live: Live; readonly shown: number }): VNode => (
  <p class="table-state" role="status">
    <span class={`standing ${live.state === 'live' ? 'leader' : 'candidate'}`} />
    {live.state === 'live' ? t.objects.live : live.state === 'listing' ? t.objects.listing : t.objects.reconnecting}
    {' · '}
    <span data-rows={live.model.rows.length}>{t.objects.count(shown, live.model.rows.length)}</span>
    {live.rate > 0 ? ` · ${t.objects.rate(live.rate)}` : ''}
    <span class="keys">{t.objects.keys}</span>
  </p>
);

/** Returns the shown rows: the model's own without filter and order, else computed at most a few times a second. */
function useShown(model: TableModel, text: string, order: Order | null): readonly Row[] {
  const known = useRef<{ rows: readonly Row[]; version: number; text: string; order: Order | null; at: number } | null>(null);
  if (text.trim() === '' && order === null) return model.rows;
  const last = known.current;
  const now = performance.now();
  const isAsked = last !== null && last.text === text && last.order === order;
  if (isAsked && (last.version === model.version || now - last.at < viewEveryMs)) return last.rows;
  const rows = shownRows(model.rows, text, order);
  known.current = { rows, version: model.version, text, order, at: now };
  return rows;
}

interface FilterProps {
  readonly client: ApiClient;
  readonly resource: Resource;
  readonly place: ObjectsPlace;
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly setSelector: (selector: Selector) => void;
  readonly wide: boolean;
  readonly setWide: (wide: boolean) => void;
}

function Filters({ client, resource, place, text, setText, setSelector, wide, setWide }: FilterProps): VNode {
  const name = useRef<HTMLInputElement>(null);
  const labels = useRef<HTMLInputElement>(null);
  const fields = useRef<HTMLInputElement>(null);
  useKeys((event) => {
    const typing = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key !== '/' || typing) return;
    event.preventDefault();
    name.current?.focus();
  });
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        setSelector({ labels: labels.current?.value.trim() ?? '', fields: fields.current?.value.trim() ?? '' });
      }}
    >
      {resource.namespaced ? <Namespaces client={client} place={place} /> : null}
      <label>
        {t.objects.name}
        <input ref={name} type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <label>
        {t.objects.labels}
        <input ref={labels} placeholder={t.objects.labelsHint} spellcheck={false} />
      </label>
      <label>
        {t.objects.fields}
        <input ref={fields} placeholder={t.objects.fieldsHint} spellcheck={false} />
      </label>
      <button type="submit">{t.objects.apply}</button>
      <label class="check">
        <input type="checkbox" checked={wide} onChange={(event) => setWide(event.currentTarget.checked)} />
        {t.objects.wide}
      </label>
    </form>
  );
}

/** A list of namespaces for users who may list them; otherwise a text field. */
function Namespaces({ client, place }: { readonly client: ApiClient; readonly place: ObjectsPlace }): VNode {
  const [names, setNames] = useState<readonly string[] | null>([]);
  useEffect(() => {
    client.json<{ readonly items: readonly { readonly metadata: { readonly name: string } }[] }>('/api/v1/namespaces').then(
      ({ items }) => setNames(items.map(({ metadata }) => metadata.name)),
      () => setNames(null),
    );
  }, [client]);
  const go = (namespace: string): void => {
    location.hash = hashOf({ ...place, namespace, name: '' });
  };
  return (
    <label>
      {t.objects.namespace}
      {names === null ? (
        <input value={place.namespace} spellcheck={false} onChange={(event) => go(event.currentTarget.value.trim())} />
      ) : (
        <select value={place.namespace} onChange={(event) => go(event.currentTarget.value)}>
          <option value="">{t.objects.allNamespaces}</option>
          {(names.includes(place.namespace) || place.namespace === '' ? names : [...names, place.namespace]).map((name) => (
            <option value={name}>{name}</option>
          ))}
        </select>
      )}
    </label>
  );
}
