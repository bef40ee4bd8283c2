/** The package names its types for another file than the one that bundlers take. */
declare module '@xterm/headless/lib-headless/xterm-headless.mjs' {
  export { Terminal } from '@xterm/headless';
}
