export * from '../../api/duration.js';
