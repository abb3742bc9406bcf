import { createServer } from 'node:net'

/** Below the range that systems use for outgoing connections, which may take a port at any time. */
const portMin = 10_000
const portMax = 32_000
const portCount = portMax - portMin
/** The only port of the range that `fetch` refuses (Fetch standard, "bad port"). */
const portRefused = 10_080

/** Processes that look for ports at the same time start far apart. */
let next = portMin + ((process.pid * 7_919) % portCount)

/** A port that was free a moment ago and that this process has not returned recently. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let tries = 0; tries < portCount; tries += 1) {
    const port = next
    next = port + 1 < portMax ? port + 1 : portMin
    if (port !== portRefused && (await tryListen(host, port)) !== 'taken') return port
  }
  throw new Error(`${host} has no free port`)
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
