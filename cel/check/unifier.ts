import { dyn, isNoMoreSpecific, isOpen, sameType, takesNull, variable, type Type } from './types.js';

/** Infers type variables during the check of an expression (`checker/types.go` of cel-go, step by step: the order decides what is accepted). */
export class Unifier {
  readonly #found = new Map<string, Type>();
  /** Earlier results, restored when types do not match. */
  #before: [string, Type | undefined][] = [];
  #variables = 0;

  fresh(): Type {
    return variable(`_var${this.#variables++}`);
  }

  /** Keeps new types of variables only if all match. */
  assigns(types: readonly Type[], to: readonly Type[]): boolean {
    this.#before = [];
    if (this.#allAssign(types, to)) return true;
    for (const [name, type] of this.#before.reverse()) {
      if (type === undefined) this.#found.delete(name);
      else this.#found.set(name, type);
    }
    return false;
  }

  /** Replaces variables by their types; others stay, or become dynamic at the end. */
  resolved(type: Type, atEnd = false): Type {
    if (type.variable) {
      const found = this.#found.get(type.name);
      if (found !== undefined) return this.resolved(found, atEnd);
      return atEnd ? dyn : type;
    }
    return type.of.length === 0 ? type : { ...type, of: type.of.map((part) => this.resolved(part, atEnd)) };
  }

  #allAssign(types: readonly Type[], to: readonly Type[]): boolean {
    return types.length === to.length && types.every((type, position) => this.#assigns(type, to[position] ?? dyn));
  }

  #assigns(one: Type, other: Type): boolean {
    if (other.variable) {
      const { fits, known } = this.#standsFor(one, other);
      if (fits || known) return fits;
    }
    if (one.variable) return this.#standsFor(other, one).fits;
    if (isOpen(one) || isOpen(other)) return true;
    if (one.name === 'null') return takesNull(other);
    if (other.name === 'null') return takesNull(one);
    return one.name === other.name && (one.name === 'type' || this.#allAssign(one.of, other.of));
  }

  /** Returns whether the type may be the variable's, and whether one was known. */
  #standsFor(type: Type, of: Type): { readonly fits: boolean; readonly known: boolean } {
    if (sameType(type, of)) return { fits: true, known: true };
    const known = this.#found.get(of.name);
    if (known === undefined) {
      const fits = !this.#occurs(of, type);
      if (fits) this.#find(of, type);
      return { fits, known: false };
    }
    if (sameType(type, known)) return { fits: true, known: true };
    if (!this.#assigns(type, known)) return { fits: false, known: true };
    const general = isNoMoreSpecific(type, known) ? type : known;
    if (!this.#occurs(of, general)) this.#find(of, general);
    return { fits: true, known: true };
  }

  #find({ name }: Type, type: Type): void {
    this.#before.push([name, this.#found.get(name)]);
    this.#found.set(name, type);
  }

  #occurs(variable: Type, within: Type): boolean {
    if (sameType(variable, within)) return true;
    if (!within.variable) return within.of.some((part) => this.#occurs(variable, part));
    const found = this.#found.get(within.name);
    return found !== undefined && this.#occurs(variable, found);
  }
}
