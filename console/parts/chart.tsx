import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { Series } from '../model/series.js';
import { themeChanged } from './theme.js';

export interface ChartLine {
  readonly name: string;
  readonly label: string;
  readonly colour: string;
}

export interface ChartProps {
  readonly title: string;
  readonly series: Series;
  readonly lines: readonly ChartLine[];
  readonly format: (value: number | null) => string;
  /** Counts readings: a change redraws. */
  readonly reading: number;
}

const height = 132;

/** A small chart of some lines over time, with their latest values as text. */
export function Chart({ title, series, lines, format, reading }: ChartProps): VNode {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const names = lines.map(({ name }) => name).join(' ');

  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const make = (): void => {
      chart.current?.destroy();
      chart.current = new uPlot(optionsOf(lines, format, element), dataOf(series, lines), element);
    };
    make();
    const resized = new ResizeObserver(() => chart.current?.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', make);
    addEventListener(themeChanged, make);
    return () => {
      resized.disconnect();
      dark.removeEventListener('change', make);
      removeEventListener(themeChanged, make);
      chart.current?.destroy();
      chart.current = null;
    };
  }, [names, series]);

  useEffect(() => {
    chart.current?.setData(dataOf(series, lines));
  }, [reading]);

  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <div ref={place} aria-hidden="true" />
      <ul>
        {lines.map(({ name, label, colour }) => (
          <li>
            <span class="swatch" style={{ background: `var(${colour})` }} />
            {label} <b>{format(series.latest(name))}</b>
          </li>
        ))}
      </ul>
    </figure>
  );
}

const dataOf = (series: Series, lines: readonly ChartLine[]): uPlot.AlignedData =>
  series.columns(lines.map(({ name }) => name)) as unknown as uPlot.AlignedData;

/** Resolves a style sheet colour for a canvas: the property itself names one for light and one for dark. */
function colourOf(element: HTMLElement, name: string): string {
  const probe = element.appendChild(document.createElement('span'));
  probe.style.color = `var(${name})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function optionsOf(lines: readonly ChartLine[], format: ChartProps['format'], element: HTMLElement): uPlot.Options {
  const colour = (name: string): string => colourOf(element, name);
  const axis = {
    stroke: colour('--soft'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  };
  return {
    width: element.clientWidth,
    height,
    padding: [8, 6, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    select: { show: false, left: 0, top: 0, width: 0, height: 0 },
    scales: { x: { time: true }, y: { range: (_, __, high) => [0, high > 0 ? high * 1.1 : 1] } },
    axes: [
      {
        ...axis,
        size: 22,
        space: 70,
        values: (_, times) =>
          times.map((time) => new Date(time * 1000).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })),
      },
      { ...axis, size: 54, space: 34, values: (_, values) => values.map((value) => format(value)) },
    ],
    series: [{}, ...lines.map((line) => ({ stroke: colour(line.colour), width: 1.75, points: { show: false }, spanGaps: false }))],
  };
}
