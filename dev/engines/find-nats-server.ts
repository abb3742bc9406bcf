/**
 * A nats-server program: the one on the PATH, one that an earlier start fetched, one that Go
 * builds, or Debian's. The built one is kept per user, so that every data folder of this user finds
 * it.
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
  /** Ends a build that is under way. */
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
    'There is no nats-server and no way to get one (no Go 1.25 or later, no apt-get as root): install it from https://github.com/nats-io/nats-server/releases so that it is on the PATH, or set NATS_URL.',
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
      // Its service would start by itself and take the port; a policy of its own forbids that for
      // this call.
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
