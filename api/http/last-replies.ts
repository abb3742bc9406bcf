/** The last replies of a server that another one takes over from: each closes its connection, so that no client is cut off. */
import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** A connection that has been quiet for so long is closed without a last reply. */
const lingerMsMax = 5_000
const pollMs = 50

/** Resolves when every connection has had its last reply, or has been quiet for long. New connections are not taken. */
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
