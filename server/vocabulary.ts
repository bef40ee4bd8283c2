/** The words with two spellings. They live in the catalogue, where the workers and the controllers may read them too. */
export { neutralOptionName } from './catalogue/vocabulary.js';
