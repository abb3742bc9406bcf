/**
 * The embedded ClickHouse as a process: the engine of `chdb` behind the part of ClickHouse's HTTP
 * interface that `@clickhouse/client` uses, so that the product needs only a CLICKHOUSE_URL. Rows
 * of an insert are written to a file and read by the engine's own parsers, several times faster
 * than as part of a statement. Behind a statement they would be unsafe, too: chdb takes what
 * follows an empty line in them for the next one. Not supported: sessions, multipart parameters,
 * native compression.
 */
import { mkdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { z } from 'zod'
import { killWithParent } from '../processes/kill-with-parent.ts'
import { answerCall } from './clickhouse-answer.ts'
import { laneSizes } from './clickhouse-lanes.ts'
import { ClickHouseSessions } from './clickhouse-sessions.ts'
import { lowerMergePriority } from './merge-priority.ts'
import { readSecrets } from './secrets.ts'

const Settings = z.object({ port: z.number(), folder: z.string(), secretsDir: z.string() })

/** Query parameters are part of the URL; ClickHouse allows the same size. */
const headerBytesMax = 1024 * 1024
const mergePriorityMs = 5_000

killWithParent()
const settings = Settings.parse(JSON.parse(process.argv[2] ?? '{}'))
const { clickhouse: password } = await readSecrets(settings.secretsDir)

const rowsFolder = join(settings.folder, 'rows')
await rm(rowsFolder, { recursive: true, force: true })
await mkdir(rowsFolder, { recursive: true })
const sessions = new ClickHouseSessions(join(settings.folder, 'data'), laneSizes)
// The engine starts these threads with its first merges.
setInterval(lowerMergePriority, mergePriorityMs).unref()

const server = createServer({ maxHeaderSize: headerBytesMax }, (request, response) => {
  // A connection may break at any time; its response is then dropped.
  response.on('error', () => undefined)
  void answerCall(request, response, { sessions, password, rowsFolder })
})
server.keepAliveTimeout = 10_000
server.requestTimeout = 120_000
server.on('clientError', (_error, socket) => socket.destroy())
server.listen(settings.port, '127.0.0.1')

let stopping = false
async function stop(): Promise<void> {
  // `process.exit` would wait for running queries.
  if (stopping) process.kill(process.pid, 'SIGKILL')
  stopping = true
  server.close()
  await sessions.close()
  // A normal exit may hang in native code after the thread of kill-with-parent.ts has ended, so an
  // orphan is killed.
  if (!process.connected) process.kill(process.pid, 'SIGKILL')
  process.exit(0)
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)
