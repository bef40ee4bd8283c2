/** Options use the same duration format as objects. */
export * from '../../api/duration.js';
