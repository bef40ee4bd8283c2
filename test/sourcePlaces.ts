import fs from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const place = /((?:file:\/\/)?\/[^\s()]+\.js):(\d+):(\d+)/g;

/**
 * The stack of a failure with source positions. Node's `--enable-source-maps` would read the map of each module in each thread, and map each intentional
 * error: a quarter of the processor time of tests with threads.
 */
export function inSources(stack: string): string {
  return stack.replace(place, (compiled: string, file: string, line: string, column: string) => {
    const at = file.startsWith('file:') ? fileURLToPath(file) : file;
    return sourcePlace(at, Number(line), Number(column)) ?? compiled;
  });
}

function sourcePlace(file: string, line: number, column: number): string | null {
  const map = `${file}.map`;
  if (!fs.existsSync(map)) return null;
  const entry = new SourceMap(JSON.parse(fs.readFileSync(map, 'utf8')) as SourceMapPayload).findEntry(line - 1, column - 1);
  if (!('originalSource' in entry)) return null;
  return `${path.resolve(path.dirname(file), entry.originalSource)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}
