/**
 * Piscina loads the file of a thread by `require`, and by `import` if that fails. Node 20 aborts
 * the whole process when a thread is ended while it loads an ES module by `require`.
 */
const loadByImport = '--no-experimental-require-module'

/**
 * `execArgv` for the threads of a pool. They do not inherit the options of the process: preloads,
 * conditions of a test runner.
 */
export const threadArguments: readonly string[] = [
  '--enable-source-maps',
  ...(process.allowedNodeEnvironmentFlags.has(loadByImport) ? [loadByImport] : []),
]
