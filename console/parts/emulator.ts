/** The terminal emulator, in a file of its own: it is loaded only when a terminal is opened. */
export { Terminal } from '@xterm/headless/lib-headless/xterm-headless.mjs';
