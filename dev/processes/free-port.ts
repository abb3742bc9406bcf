import { createServer } from 'node:net'

/**
 * Below the ports that systems give to outgoing connections: one of those may be taken again the
 * moment after.
 */
const portMin = 10_000
const portMax = 32_000
const portCount = portMax - portMin

/** Processes that look for ports at the same time begin far from each other. */
let next = portMin + ((process.pid * 7_919) % portCount)

/** A port that nobody listened on a moment ago, and that this process has not given out lately. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let tries = 0; tries < portCount; tries += 1) {
    const port = next
    next = port + 1 < portMax ? port + 1 : portMin
    if ((await tryListen(host, port)) !== 'taken') return port
  }
  throw new Error(`${host} has no free port`)
}

/** Listens for a moment and lets go. */
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
