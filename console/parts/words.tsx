import type { ComponentChildren, VNode } from 'preact';
import { hunks, type DiffLine } from '../model/diff.js';
import { t } from '../english.js';

export function bytes(count: number): string {
  if (count < 1024) return `${count} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(units.length, Math.floor(Math.log2(count) / 10));
  return `${(count / 1024 ** power).toFixed(count / 1024 ** power < 10 ? 1 : 0)} ${units[power - 1]}`;
}

/** Formats seconds; a dash for none. */
export function seconds(value: number | null): string {
  if (value === null) return '–';
  if (value < 0.001) return `${Math.round(value * 1e6)} µs`;
  if (value < 1) return `${value < 0.01 ? (value * 1e3).toFixed(1) : Math.round(value * 1e3)} ms`;
  return `${value.toFixed(1)} s`;
}

export const clock = (at: number): string => new Date(at).toLocaleTimeString('en-GB');

/** A difference of two texts, marked by words and colours. */
export function Diff({ lines }: { readonly lines: readonly DiffLine[] }): VNode {
  return (
    <pre class="diff" tabIndex={0} role="region" aria-label={t.objects.diff}>
      {hunks(lines).map((line) =>
        line === null ? (
          <span class="left-out">{`${t.objects.linesLeftOut}\n`}</span>
        ) : line.sign === ' ' ? (
          `  ${line.text}\n`
        ) : line.sign === '-' ? (
          <del>{`- ${line.text}\n`}</del>
        ) : (
          <ins>{`+ ${line.text}\n`}</ins>
        ),
      )}
    </pre>
  );
}

export const Problem = ({ children }: { readonly children: ComponentChildren }): VNode => (
  <p class="problem" role="alert">
    {children}
  </p>
);

export const Heading = ({ text, about }: { readonly text: string; readonly about?: string }): VNode => (
  <div class="heading">
    <h1>{text}</h1>
    {about === undefined ? null : <p>{about}</p>}
  </div>
);
