/** `sluice ready <process>`, `sluice alive <process>`: ask the operations port of a process here. */
import { readEnv } from '#platform/env.ts'
import { isServiceWord, type ServiceWord, serviceWords } from './program-words.ts'

/** Longer than a process takes to answer, and shorter than the timeout of a health check. */
const timeoutMs = 2_500

type HealthPath = '/health' | '/health/ready'

/** Returns the exit code. `source`: the environment, by default that of this process. */
export async function probeProcess(
  args: readonly string[],
  path: HealthPath,
  source?: NodeJS.ProcessEnv,
): Promise<0 | 1> {
  const [name] = args
  if (!isServiceWord(name)) {
    process.stderr.write(`Say which process: ${serviceWords.join(', ')}.\n`)
    return 1
  }
  const url = healthUrl(name, path, source)
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
    process.stdout.write(`${await response.text()}\n`)
    return response.ok ? 0 : 1
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    process.stderr.write(`${name} does not answer at ${url}: ${reason}\n`)
    return 1
  }
}

/** Of the operations port; of the public port when ingest or API have none. */
export function healthUrl(name: ServiceWord, path: HealthPath, source?: NodeJS.ProcessEnv): string {
  const [host, port] = addressOf(name, source)
  return `http://${localHost(host)}:${port}${path}`
}

function addressOf(name: ServiceWord, source?: NodeJS.ProcessEnv): [host: string, port: number] {
  switch (name) {
    case 'ingest': {
      const env = readEnv(
        ['INGEST_OPS_HOST', 'INGEST_OPS_PORT', 'INGEST_HOST', 'INGEST_PORT'],
        source,
      )
      return env.INGEST_OPS_PORT === 0
        ? [env.INGEST_HOST, env.INGEST_PORT]
        : [env.INGEST_OPS_HOST, env.INGEST_OPS_PORT]
    }
    case 'workers': {
      const env = readEnv(['WORKERS_HOST', 'WORKERS_PORT'], source)
      return [env.WORKERS_HOST, env.WORKERS_PORT]
    }
    case 'mailer': {
      const env = readEnv(['MAILER_HOST', 'MAILER_PORT'], source)
      return [env.MAILER_HOST, env.MAILER_PORT]
    }
    case 'api': {
      const env = readEnv(['API_OPS_HOST', 'API_OPS_PORT', 'API_HOST', 'API_PORT'], source)
      return env.API_OPS_PORT === 0
        ? [env.API_HOST, env.API_PORT]
        : [env.API_OPS_HOST, env.API_OPS_PORT]
    }
  }
}

/** A process that listens on all addresses answers on loopback. */
function localHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::' || host === '') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
