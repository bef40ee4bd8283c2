/** The way from an object to a value in it: names of members, and positions in lists. */
export type ValuePath = readonly (string | number)[];
