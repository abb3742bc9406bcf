import { closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '#platform/clock.ts'

/** Below the range that systems use for outgoing connections, which may take a port at any time. */
const portMin = 10_000
const portMax = 32_000
const portCount = portMax - portMin
/** The only port of the range that `fetch` refuses (Fetch standard, "bad port"). */
const portRefused = 10_080

/** Processes that look for ports at the same time start far apart. */
let next = portMin + ((process.pid * 7_919) % portCount)

/** Longer than a product takes to start, after which the port is in use. */
const reservedMsMax = 10 * 60_000

/** A port that was free a moment ago and that no process of this machine has got recently. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let tries = 0; tries < portCount; tries += 1) {
    const port = next
    next = port + 1 < portMax ? port + 1 : portMin
    if (port === portRefused || !reservePort(port)) continue
    if ((await tryListen(host, port)) !== 'taken') return port
  }
  throw new Error(`${host} has no free port`)
}

/**
 * Returns false if the port is reserved. A port is chosen seconds before its program listens on it,
 * and another process finds it free until then. Both would start, and the clients of one would
 * reach the other.
 */
export function reservePort(port: number, folder = join(tmpdir(), 'sluice-ports')): boolean {
  const path = join(folder, String(port))
  try {
    mkdirSync(folder)
  } catch {
    // It exists.
  }
  try {
    if (isOlder(path)) rmSync(path, { force: true })
    closeSync(openSync(path, 'wx'))
    return true
  } catch (error) {
    // Without the folder, or where it belongs to another user, nothing is reserved.
    return (error as NodeJS.ErrnoException).code !== 'EEXIST'
  }
}

function isOlder(path: string): boolean {
  const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs
  return changed !== undefined && changed + reservedMsMax < systemClock.nowMs()
}

/** Listens on the port for a moment and closes it again. Returns the port, or `taken`. */
export function tryListen(host: string, port: number): Promise<number | 'taken'> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve('taken')
      else reject(error)
    })
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address()
      const listening = typeof address === 'object' && address ? address.port : port
      server.close(() => resolve(listening))
    })
  })
}
