/** Scans one HTML tag, which may arrive in pieces, for its attribute values. */
export class TagScanner {
  /** Lower-case; complete after a space, a slash or the end. */
  name = '';
  /** Ordered; `from` and `to` count from the `<`. */
  readonly values: { readonly attribute: string; readonly from: number; readonly to: number }[] = [];
  #state: State = 'tagName';
  #from = 1;
  #attribute = '';

  /** Positions begin at 1, after the `<`. */
  take(text: string, position: number): boolean {
    this.#state = steps[this.#state].call(this.#steps, text[position] ?? '', position, text);
    return this.#state === 'end';
  }

  readonly #steps: Steps = {
    nameEnds: (text, position) => {
      this.name = text.slice(this.#from, position).toLowerCase();
    },
    begins: (position) => {
      this.#from = position;
    },
    attributeEnds: (text, position) => {
      this.#attribute = text.slice(this.#from, position).toLowerCase();
    },
    valueEnds: (position) => {
      this.values.push({ attribute: this.#attribute, from: this.#from, to: position });
    },
  };
}

type State = 'tagName' | 'gap' | 'attribute' | 'afterAttribute' | 'beforeValue' | 'double' | 'single' | 'bare' | 'end';

interface Steps {
  nameEnds(text: string, position: number): void;
  begins(position: number): void;
  attributeEnds(text: string, position: number): void;
  valueEnds(position: number): void;
}

type Step = (this: Steps, character: string, position: number, text: string) => State;

const isSpace = (character: string): boolean => ' \t\r\n\f'.includes(character);
const afterSpace = (character: string): State => (character === '>' ? 'end' : 'gap');

/** Section 13.2.5 of the HTML standard, as far as it concerns tags. */
const steps: Readonly<Record<State, Step>> = {
  tagName(character, position, text) {
    if (!isSpace(character) && character !== '/' && character !== '>') return 'tagName';
    this.nameEnds(text, position);
    return afterSpace(character);
  },
  gap(character, position) {
    if (isSpace(character) || character === '/' || character === '>') return afterSpace(character);
    this.begins(position);
    return 'attribute';
  },
  attribute(character, position, text) {
    if (!isSpace(character) && !'=/>'.includes(character)) return 'attribute';
    this.attributeEnds(text, position);
    if (character === '=') return 'beforeValue';
    return isSpace(character) ? 'afterAttribute' : afterSpace(character);
  },
  afterAttribute(character, position) {
    if (isSpace(character)) return 'afterAttribute';
    if (character === '=') return 'beforeValue';
    if (character === '/' || character === '>') return afterSpace(character);
    this.begins(position);
    return 'attribute';
  },
  beforeValue(character, position) {
    if (isSpace(character)) return 'beforeValue';
    if (character === '>') return 'end';
    const quoted = character === '"' || character === "'";
    this.begins(quoted ? position + 1 : position);
    return character === '"' ? 'double' : quoted ? 'single' : 'bare';
  },
  double(character, position) {
    if (character !== '"') return 'double';
    this.valueEnds(position);
    return 'gap';
  },
  single(character, position) {
    if (character !== "'") return 'single';
    this.valueEnds(position);
    return 'gap';
  },
  bare(character, position) {
    if (!isSpace(character) && character !== '>') return 'bare';
    this.valueEnds(position);
    return afterSpace(character);
  },
  end: () => 'end',
};
