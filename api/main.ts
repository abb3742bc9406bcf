/**
 * The API: this process holds the port and hands each connection to the one that answers (serve.ts). So
 * the latter can be replaced while requests come in: on SIGHUP a new one is started from the files as they are now,
 * and when it listens the old one answers what it has and ends. No request is refused meanwhile.
 *
 *   SIGHUP           a new process takes over
 *   SIGTERM, SIGINT  passed on; this one ends when the other has
 *   a crash of it    ends this one with 1, so that the supervisor starts both anew
 */
import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import { readEnvOrExit } from '#platform/env.ts'
import { createLogger } from '#platform/logger.ts'

const log = createLogger('api', readEnvOrExit(['LOG_LEVEL']).LOG_LEVEL)
cluster.setupPrimary({
  exec: fileURLToPath(new URL('./serve.js', import.meta.url)),
  // What was preloaded into this process watches over its own parent. The other one ends with its channel to this one.
  execArgv: ['--enable-source-maps'],
})

let serving: Worker = cluster.fork()
let isEnding = false
let handOver: Promise<void> = Promise.resolve()

cluster.on('exit', (worker, code, signal) => {
  if (isEnding) process.exitCode = Math.max(Number(process.exitCode ?? 0), code ?? 1)
  else if (worker === serving) {
    log.fatal(
      { code: 'server_lost', exitCode: code, signal },
      'The process that answers has ended.',
    )
    process.exit(1)
  }
})

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    isEnding = true
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(signal)
  })
}
process.on('SIGHUP', () => {
  handOver = handOver.then(replaceServing).catch((error: unknown) => {
    log.error({ code: 'hand_over_failed', err: error }, 'The old process goes on answering.')
  })
})

async function replaceServing(): Promise<void> {
  if (isEnding) return
  const next = cluster.fork()
  await listening(next)
  const before = serving
  serving = next
  before.process.kill('SIGTERM')
  log.info({ code: 'handed_over' }, 'A new process answers from now on.')
}

function listening(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once('listening', () => resolve())
    worker.once('exit', (code) => reject(new Error(`it ended with ${code} before it listened`)))
  })
}
