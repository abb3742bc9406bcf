import { createServer } from 'node:net'

/** A port that nobody listened on a moment ago. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  const port = await tryListen(host, 0)
  if (port === 'taken') throw new Error(`${host} has no free port`)
  return port
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
