/** The terminal emulator in a separate file, loaded only when a terminal is opened. */
export { Terminal } from '@xterm/headless/lib-headless/xterm-headless.mjs';
