/** `exists` and `doesNotExist` have no values; `gt` and `lt` have one integer. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: 'in' | 'notIn' | 'exists' | 'doesNotExist' | 'gt' | 'lt';
  readonly values: readonly string[];
}
/** All requirements must hold; the empty selector matches everything. */
export type LabelSelector = readonly LabelRequirement[];

export interface FieldRequirement {
  readonly field: string;
  readonly equals: boolean;
  readonly value: string;
}
export type FieldSelector = readonly FieldRequirement[];
