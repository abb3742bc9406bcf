/** The baseline: uWebSockets.js, which reads the body and answers 200. Prints its port. */

import type { TemplatedApp, us_listen_socket } from 'uWebSockets.js'
import { createRequire } from 'node:module'

interface UwsModule {
  App(): TemplatedApp
  us_socket_local_port(socket: us_listen_socket): number
}

const uws = loadUws()
uws
  .App()
  .any('/*', (response) => {
    response.onAborted(() => {})
    response.onData((_chunk, isLast) => {
      if (isLast) response.end('{}')
    })
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (socket === false) throw new Error('no port could be bound')
    process.stdout.write(`${uws.us_socket_local_port(socket as us_listen_socket)}\n`)
  })
process.once('SIGTERM', () => process.exit(0))

/**
 * Two packages cover the supported Node versions; a package without a binary for this version
 * throws.
 */
function loadUws(): UwsModule {
  const require = createRequire(import.meta.url)
  try {
    return require('uWebSockets.js') as UwsModule
  } catch {
    return require('uWebSockets.js-next') as UwsModule
  }
}
