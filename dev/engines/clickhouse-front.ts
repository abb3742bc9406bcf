/**
 * The embedded ClickHouse as a process: the engine of `chdb` behind the part of ClickHouse's HTTP
 * interface that `@clickhouse/client` uses, so that all our code only ever sees a CLICKHOUSE_URL.
 * Rows of an insert go to a file first and are read from there by the engine's own parsers, several
 * times faster than a statement that carries them. Not served: sessions, multipart parameters,
 * native compression.
 */
import { mkdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { z } from 'zod'
import { killWithParent } from '../processes/kill-with-parent.ts'
import { answerCall } from './clickhouse-answer.ts'
import { ClickHouseSessions } from './clickhouse-sessions.ts'
import { readSecrets } from './secrets.ts'

const Settings = z.object({ port: z.number(), folder: z.string(), secretsDir: z.string() })

const sessionCount = 3
/** Query parameters stand in the URL; ClickHouse takes as much. */
const headerBytesMax = 1024 * 1024

killWithParent()
const settings = Settings.parse(JSON.parse(process.argv[2] ?? '{}'))
const { clickhouse: password } = await readSecrets(settings.secretsDir)

const rowsFolder = join(settings.folder, 'rows')
await rm(rowsFolder, { recursive: true, force: true })
await mkdir(rowsFolder, { recursive: true })
const sessions = new ClickHouseSessions(join(settings.folder, 'data'), sessionCount)

const server = createServer({ maxHeaderSize: headerBytesMax }, (request, response) => {
  // A connection may break at any moment; the query's answer is then for nobody.
  response.on('error', () => undefined)
  void answerCall(request, response, { sessions, password, rowsFolder })
})
server.keepAliveTimeout = 10_000
server.requestTimeout = 120_000
server.on('clientError', (_error, socket) => socket.destroy())
server.listen(settings.port, '127.0.0.1')

let stopping = false
async function stop(): Promise<void> {
  // `process.exit` would wait for the queries that run.
  if (stopping) process.kill(process.pid, 'SIGKILL')
  stopping = true
  server.close()
  await sessions.close()
  // An exit that hangs in native code has ended the watching thread already, so an orphan ends like
  // this.
  if (!process.connected) process.kill(process.pid, 'SIGKILL')
  process.exit(0)
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)
