/** The emulator of terminals, in a file of its own: only whoever opens a terminal loads it. */
export { Terminal } from '@xterm/headless/lib-headless/xterm-headless.mjs';
