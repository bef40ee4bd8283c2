import { createHash } from 'node:crypto';

/** Mutants in an order that the seed decides: the first of them are the sample. The same seed over the same sources gives the same order. */
export function inOrderOfSample(mutants) {
  const place = ({ id }) => createHash('sha256').update(`${process.env.MUTATE_SEED} ${id}`).digest('hex');
  return mutants
    .map((mutant) => ({ mutant, at: place(mutant) }))
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ mutant }) => mutant);
}
