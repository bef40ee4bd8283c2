/** Names of members and positions in lists that lead to a value. */
export type ValuePath = readonly (string | number)[];
