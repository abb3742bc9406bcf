/**
 * Finds a nats-server program: on the PATH, in the cache of an earlier start, built with Go, or
 * installed with apt-get.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { systemClock } from '#platform/clock.ts'
import {
  buildWithGo,
  cacheFolder,
  findGo,
  findProgram,
  lastLine,
  pathFolders,
} from '../find-program.ts'
import { type Progress, SetupError } from './engine.ts'

const module = 'github.com/nats-io/nats-server/v2@v2.15.2'
const buildMsMax = 600_000
const progressEveryMs = 5_000
const run = promisify(execFile)

export interface NatsSearch {
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  readonly progress: Progress
  /** Aborts a build in progress. */
  readonly stopping: AbortSignal
}

export async function findNatsServer(search: NatsSearch): Promise<string> {
  const { env, dataDir } = search
  const folders = [...pathFolders(env), join(dataDir, 'bin'), cacheFolder(env)]
  const found = await findProgram('nats-server', folders)
  if (found) return found
  const built = (await buildNatsServer(search)) ?? (await installWithApt(search))
  if (built) return built
  throw new SetupError(
    'nats-server was not found, and it could not be built (needs Go 1.25 or later) or installed (needs apt-get and root). Install it from https://github.com/nats-io/nats-server/releases into a folder of the PATH, or set NATS_URL to a running server.',
  )
}

async function buildNatsServer(search: NatsSearch): Promise<string | undefined> {
  const { env } = search
  const go = await findGo(env)
  if (!go) return undefined
  try {
    return await runSlowly(
      'Building nats-server with Go (once, about a minute)',
      search,
      (signal) => buildWithGo({ go, name: 'nats-server', module, env, signal }),
    )
  } catch (error) {
    search.stopping.throwIfAborted()
    search.progress(`Go could not build nats-server: ${lastLine(error)}`)
    return undefined
  }
}

async function installWithApt(search: NatsSearch): Promise<string | undefined> {
  const apt = await findProgram('apt-get', ['/usr/bin'])
  if (!apt || process.getuid?.() !== 0) return undefined
  try {
    const env = { ...search.env, DEBIAN_FRONTEND: 'noninteractive' }
    await runSlowly('Installing nats-server with apt-get', search, async (signal) => {
      await run(apt, ['update', '-q'], { env, signal })
      // Debian would start the service, which would take the port; this policy file prevents that.
      await run(apt, ['install', '-y', '-q', '--no-install-recommends', 'nats-server'], {
        env: { ...env, RUNLEVEL: '1' },
        signal,
      })
    })
    return await findProgram('nats-server', ['/usr/sbin', '/usr/bin'])
  } catch (error) {
    search.stopping.throwIfAborted()
    search.progress(`apt-get could not install nats-server: ${lastLine(error)}`)
    return undefined
  }
}

async function runSlowly<T>(
  what: string,
  { progress, stopping }: NatsSearch,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const startedAtMs = systemClock.monotonicMs()
  progress(`${what} …`)
  const timer = setInterval(() => {
    const seconds = Math.round((systemClock.monotonicMs() - startedAtMs) / 1000)
    progress(`${what} … ${seconds} s`)
  }, progressEveryMs)
  try {
    return await work(AbortSignal.any([AbortSignal.timeout(buildMsMax), stopping]))
  } finally {
    clearInterval(timer)
  }
}
