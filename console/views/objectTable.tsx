import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../english.js';
import { age } from '../model/objects.js';
import type { Column, Order, Row } from '../model/tableModel.js';
import { wellnessOf } from '../model/wellness.js';

const rowHeight = 32;
const around = 8;
/** Time for which a changed row is highlighted. */
const litMs = 1_200;

interface TableProps {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly all: readonly Column[];
  readonly rows: readonly Row[];
  /** True for rows of several namespaces. */
  readonly namespaced: boolean;
  readonly order: Order | null;
  readonly setOrder: (order: Order | null) => void;
  readonly opened: string | null;
  readonly open: (row: Row) => void;
  readonly selected: ReadonlySet<string>;
  readonly select: (row: Row) => void;
  readonly listed: boolean;
}

/** A table that draws only visible rows, with the keys of a grid: https://www.w3.org/WAI/ARIA/apg/patterns/grid/ */
export function ObjectTable(props: TableProps): VNode {
  const { label, columns, all, rows, namespaced, order, setOrder, opened, open, selected, select, listed } = props;
  const grid = useGrid(rows, open, select);
  const cells: readonly Cell[] = columns.map((column) => ({ column, at: all.indexOf(column), isAge: /^age$/i.test(column.name) }));
  const widths = [...(namespaced ? [9] : []), ...columns.map(({ name }) => (name === 'Name' ? 15 : 6.5))];
  const style = {
    '--columns': `2rem ${widths.map((width) => `minmax(${width}rem, ${width}fr)`).join(' ')}`,
    '--width': `${widths.reduce((sum, width) => sum + width, 3)}rem`,
  };

  return (
    <div
      ref={grid.place}
      class="table"
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-busy={!listed}
      tabIndex={rows.length === 0 ? 0 : undefined}
      style={style}
      onScroll={grid.scrolled}
      onKeyDown={grid.pressed}
    >
      <HeadRow cells={cells} namespaced={namespaced} order={order} setOrder={setOrder} />
      <div class="rows" role="rowgroup" style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.slice(grid.first, grid.last).map((row, index) => (
          <BodyRow
            key={row.key}
            row={row}
            at={grid.first + index}
            cells={cells}
            namespaced={namespaced}
            isCurrent={grid.first + index === grid.current}
            isOpened={row.key === opened}
            activate={grid.activate}
            open={open}
            isSelected={selected.has(row.key)}
            select={select}
          />
        ))}
      </div>
      {rows.length === 0 && listed ? <p class="empty">{t.objects.none}</p> : null}
    </div>
  );
}

interface Cell {
  readonly column: Column;
  /** Its index among all columns, including hidden ones. */
  readonly at: number;
  readonly isAge: boolean;
}

/** The scroll position, the current row, and the keys of a grid. */
function useGrid(rows: readonly Row[], open: (row: Row) => void, select: (row: Row) => void) {
  const place = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const [active, setActive] = useState(0);
  const focuses = useRef(false);

  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const resized = new ResizeObserver(() => setHeight(element.clientHeight));
    resized.observe(element);
    return () => resized.disconnect();
  }, []);
  useEffect(() => {
    if (!focuses.current) return;
    focuses.current = false;
    place.current?.querySelector<HTMLElement>('[role=row][tabindex="0"]')?.focus({ preventScroll: true });
  });

  const first = Math.max(0, Math.floor(top / rowHeight) - around);
  const last = Math.min(rows.length, Math.ceil((top + height) / rowHeight) + around);
  const current = Math.min(active, Math.max(0, rows.length - 1));
  const page = Math.max(1, Math.floor(height / rowHeight) - 2);

  const move = (to: number): void => {
    const at = Math.max(0, Math.min(rows.length - 1, to));
    const element = place.current;
    setActive(at);
    focuses.current = true;
    if (element === null) return;
    const y = at * rowHeight;
    if (y < element.scrollTop) element.scrollTop = y;
    else if (y + rowHeight * 2 > element.scrollTop + element.clientHeight) element.scrollTop = y + rowHeight * 2 - element.clientHeight;
  };
  const withCurrent = (act: (row: Row) => void): void => {
    const row = rows[current];
    if (row) act(row);
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(current + 1),
    ArrowUp: () => move(current - 1),
    PageDown: () => move(current + page),
    PageUp: () => move(current - page),
    Home: () => move(0),
    End: () => move(rows.length - 1),
    Enter: () => withCurrent(open),
    ' ': () => withCurrent(select),
  };
  const pressed = (event: KeyboardEvent): void => {
    const act = event.target instanceof HTMLButtonElement || event.target instanceof HTMLInputElement ? undefined : keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  const scrolled = (): void => setTop(place.current?.scrollTop ?? 0);
  return { place, first, last, current, activate: setActive, pressed, scrolled };
}

interface HeadProps extends Pick<TableProps, 'namespaced' | 'order' | 'setOrder'> {
  readonly cells: readonly Cell[];
}

const HeadRow = ({ cells, namespaced, order, setOrder }: HeadProps): VNode => (
  <div class="row head" role="row" aria-rowindex={1}>
    <span role="columnheader">
      <span class="unseen">{t.objects.selectColumn}</span>
    </span>
    {namespaced ? <span role="columnheader">{t.objects.namespaceColumn}</span> : null}
    {cells.map(({ column, at }) => (
      <span
        role="columnheader"
        aria-sort={order?.column === at ? (order.descending ? 'descending' : 'ascending') : 'none'}
        title={column.description}
      >
        <button type="button" aria-label={t.objects.sortBy(column.name)} onClick={() => setOrder(nextOrder(order, at))}>
          {column.name}
          {order?.column === at ? (order.descending ? ' ↓' : ' ↑') : ''}
        </button>
      </span>
    ))}
  </div>
);

interface RowProps extends Pick<TableProps, 'namespaced' | 'open'> {
  readonly row: Row;
  /** Its place among all rows. */
  readonly at: number;
  readonly cells: readonly Cell[];
  readonly isCurrent: boolean;
  readonly isOpened: boolean;
  readonly isSelected: boolean;
  readonly select: (row: Row) => void;
  readonly activate: (at: number) => void;
}

function BodyRow({ row, at, cells, namespaced, isCurrent, isOpened, isSelected, select, activate, open }: RowProps): VNode {
  const { metadata } = row.object;
  const now = performance.now();
  const wall = Date.now();
  return (
    <div
      class={`row ${row.changedAt > 0 && now - row.changedAt < litMs ? 'lit' : ''} ${isOpened ? 'opened' : ''} ${metadata.deletionTimestamp === undefined ? '' : 'going'}`}
      role="row"
      aria-rowindex={at + 2}
      aria-selected={isOpened}
      tabIndex={isCurrent ? 0 : -1}
      style={{ transform: `translateY(${at * rowHeight}px)` }}
      onFocus={() => activate(at)}
      onClick={() => open(row)}
    >
      <span role="gridcell" onClick={(event) => event.stopPropagation()}>
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={t.objects.select(metadata.name)}
          checked={isSelected}
          onChange={() => select(row)}
        />
      </span>
      {namespaced ? <span role="gridcell">{metadata.namespace}</span> : null}
      {cells.map(({ at: cell, isAge }) => {
        const text =
          isAge && metadata.creationTimestamp !== undefined
            ? age(Date.parse(metadata.creationTimestamp), wall)
            : String(row.cells[cell] ?? '');
        return (
          <span role="gridcell" title={text} class={wellnessOf(text)}>
            {text}
          </span>
        );
      })}
    </div>
  );
}

/** Cycles through ascending, descending, and unsorted. */
function nextOrder(order: Order | null, column: number): Order | null {
  if (order?.column !== column) return { column, descending: false };
  return order.descending ? null : { column, descending: true };
}
