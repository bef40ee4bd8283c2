export interface Cell {
  getChars(): string;
  /** 0 for the second half of a wide character. */
  getWidth(): number;
  getFgColor(): number;
  getBgColor(): number;
  isFgDefault(): boolean;
  isBgDefault(): boolean;
  isFgRGB(): boolean | number;
  isBgRGB(): boolean | number;
  isBold(): number;
  isDim(): number;
  isItalic(): number;
  isUnderline(): number;
  isInverse(): number;
  isInvisible(): number;
}
export interface Line {
  readonly length: number;
  getCell(at: number): Cell | undefined;
}

/** Adjacent characters of one style. */
export interface Run {
  readonly text: string;
  /** Classes of the style sheet. */
  readonly classes: string;
  /** Colours outside the sixteen of the style sheet. */
  readonly foreground: string | null;
  readonly background: string | null;
}

const named = 16;
const cubeSide = 6;
const greyFrom = named + cubeSide ** 3;

/** Returns the colour of an index of at least 16 in xterm's 256-colour table: a 6x6x6 cube, then greys. */
export function paletteColour(index: number): string {
  if (index >= greyFrom)
    return `rgb(${Array<number>(3)
      .fill(8 + 10 * (index - greyFrom))
      .join(' ')})`;
  const step = (place: number): number => {
    const level = Math.floor((index - named) / cubeSide ** place) % cubeSide;
    return level === 0 ? 0 : 55 + 40 * level;
  };
  return `rgb(${step(2)} ${step(1)} ${step(0)})`;
}

const rgb = (value: number): string => `#${value.toString(16).padStart(6, '0')}`;

function styleOf(cell: Cell, atCursor: boolean): Omit<Run, 'text'> {
  const colour = (isDefault: boolean, isRgb: boolean, value: number): { readonly name: number | null; readonly other: string | null } =>
    isDefault
      ? { name: null, other: null }
      : isRgb
        ? { name: null, other: rgb(value) }
        : value < named
          ? { name: value, other: null }
          : { name: null, other: paletteColour(value) };
  const front = colour(cell.isFgDefault(), Boolean(cell.isFgRGB()), cell.getFgColor());
  const back = colour(cell.isBgDefault(), Boolean(cell.isBgRGB()), cell.getBgColor());
  const inverse = cell.isInverse() !== 0;
  const [foreground, background] = inverse ? [back, front] : [front, back];
  const classes = [
    foreground.name === null ? '' : `fg-${foreground.name}`,
    background.name === null ? '' : `bg-${background.name}`,
    inverse ? 'inverse' : '',
    cell.isBold() ? 'bold' : '',
    cell.isDim() ? 'dim' : '',
    cell.isItalic() ? 'italic' : '',
    cell.isUnderline() ? 'underline' : '',
    cell.isInvisible() ? 'invisible' : '',
    atCursor ? 'cursor' : '',
  ];
  return { classes: classes.filter((name) => name !== '').join(' '), foreground: foreground.other, background: background.other };
}

/** Returns a screen line as runs, without trailing blanks. `cursor` is its column, or null. */
export function runsOf(line: Line, cursor: number | null): readonly Run[] {
  const runs: Run[] = [];
  let length = 0;
  for (let at = 0; at < line.length; at++) {
    const cell = line.getCell(at);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const text = cell.getChars() || ' ';
    const style = styleOf(cell, at === cursor);
    const last = runs.at(-1);
    if (last?.classes === style.classes && last.foreground === style.foreground && last.background === style.background)
      runs[runs.length - 1] = { ...last, text: last.text + text };
    else runs.push({ text, ...style });
    if (text !== ' ' || style.classes !== '' || style.background !== null) length = runs.length;
  }
  runs.length = length;
  const last = runs.at(-1);
  if (last?.classes === '' && last.background === null) runs[runs.length - 1] = { ...last, text: last.text.trimEnd() };
  return runs;
}
