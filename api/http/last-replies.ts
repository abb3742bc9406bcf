/**
 * Drains the connections of a server that another process takes over from. Each connection is
 * closed with its last reply, so that no request is cut off.
 */
import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds without a request after which a connection is closed. */
const lingerMsMax = 5_000
const pollMs = 50

/** Resolves when all connections are closed. New connections are not accepted. */
export async function lastReplies(server: Server): Promise<void> {
  server.prependListener('request', (_request, response) => {
    response.setHeader('Connection', 'close')
  })
  for (let waitedMs = 0; waitedMs < lingerMsMax; waitedMs += pollMs) {
    if ((await connectionCount(server)) === 0) return
    await sleep(pollMs)
  }
}

function connectionCount(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.getConnections((error, count) => resolve(error === null ? count : 0))
  })
}
