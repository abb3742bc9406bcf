/**
 * The API. This process holds the port and passes each connection to a serving process (serve.ts),
 * so that the serving process can be replaced without downtime: on SIGHUP a new one is started from
 * the files on disk, and once it listens the old one finishes its requests and exits. No request is
 * refused in the meantime.
 *
 *   SIGHUP           starts a new serving process, which takes over
 *   SIGTERM, SIGINT  forwarded; this process exits after the serving process
 *   a crash          of the serving process ends this one with exit code 1, and the supervisor
 *                    restarts both
 */
import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import { readEnvOrExit } from '#platform/env.ts'
import { createLogger } from '#platform/logger.ts'

const log = createLogger('api', readEnvOrExit(['LOG_LEVEL']).LOG_LEVEL)
cluster.setupPrimary({
  exec: fileURLToPath(new URL('./serve.js', import.meta.url)),
  // Without the modules preloaded here, which watch the parent process. The serving process exits
  // when its channel to this process closes.
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
      'The serving process exited unexpectedly; the API exits.',
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
    log.error(
      { code: 'hand_over_failed', err: error },
      'Replacing the serving process failed; the old one keeps serving.',
    )
  })
})

async function replaceServing(): Promise<void> {
  if (isEnding) return
  const next = cluster.fork()
  await listening(next)
  const before = serving
  serving = next
  before.process.kill('SIGTERM')
  log.info({ code: 'handed_over' }, 'A new serving process has taken over.')
}

function listening(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once('listening', () => resolve())
    worker.once('exit', (code) =>
      reject(new Error(`the new process exited with ${code} before it listened`)),
    )
  })
}
