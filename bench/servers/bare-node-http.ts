/** A second baseline: Node's HTTP server, which reads the body and answers 200. Prints its port. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const server = createServer((request, response) => {
  request.on('end', () => response.writeHead(200, { 'Content-Length': 2 }).end('{}'))
  request.resume()
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
process.once('SIGTERM', () => process.exit(0))
