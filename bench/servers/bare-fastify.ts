/**
 * The baseline of the portal benchmark: one Fastify route that replies with a fixed text. Prints
 * its port.
 */
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'

/** The reply is the content of this file. */
const [, , path] = process.argv
const text = readFileSync(path ?? '/dev/null', 'utf8')
const app = Fastify()
app.get('/', async (_request, reply) => reply.type('application/json; charset=utf-8').send(text))
await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${(app.server.address() as AddressInfo).port}\n`)
process.once('SIGTERM', () => process.exit(0))
