/** Levels of parts of a program (`--vmodule`): patterns (`*` and `?`) over the names in log lines; the first match counts. */
export class ModuleLevels {
  readonly #patterns: readonly { readonly pattern: string; readonly expression: RegExp; readonly level: number }[];
  readonly #parts = new Set<string>();

  constructor(levels: Iterable<readonly [pattern: string, level: number]>) {
    this.#patterns = [...levels].map(([pattern, level]) => ({ pattern, expression: expressionOf(pattern), level }));
  }

  levelOf(part: string): number | null {
    if (part !== '') this.#parts.add(part);
    return this.#patterns.find(({ expression }) => expression.test(part))?.level ?? null;
  }

  /** Returns a warning for each pattern without a matching part so far. */
  problems(): readonly { readonly pattern: string; readonly parts: string }[] {
    const parts = [...this.#parts].sort();
    return this.#patterns
      .filter(({ expression }) => !parts.some((part) => expression.test(part)))
      .map(({ pattern }) => ({ pattern, parts: parts.join(',') }));
  }
}

const expressionOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  );
