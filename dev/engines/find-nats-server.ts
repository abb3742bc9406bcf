/**
 * A nats-server program: the one on the PATH, one that an earlier start fetched, one that Go builds, or
 * Debian's. The built one is kept per user, so that every data folder of this user finds it.
 */
import { execFile } from 'node:child_process'
import { access, constants, mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { systemClock } from '#platform/clock.ts'
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
  const cacheFolder = join(search.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'sluice/bin')
  const folders = [...pathFolders(search.env), join(search.dataDir, 'bin'), cacheFolder]
  const found = await findProgram('nats-server', folders)
  if (found) return found
  const built = (await buildWithGo(cacheFolder, search)) ?? (await installWithApt(search))
  if (built) return built
  throw new SetupError(
    'There is no nats-server and no way to get one (no Go 1.25 or later, no apt-get as root): install it from https://github.com/nats-io/nats-server/releases so that it is on the PATH, or set NATS_URL.',
  )
}

function pathFolders(env: NodeJS.ProcessEnv): string[] {
  return (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
}

async function findProgram(name: string, folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    const path = join(folder, name)
    const executable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (executable) return path
  }
  return undefined
}

async function buildWithGo(folder: string, search: NatsSearch): Promise<string | undefined> {
  const go = await findProgram('go', [...pathFolders(search.env), '/usr/local/go/bin'])
  if (!go) return undefined
  try {
    await mkdir(folder, { recursive: true })
    const env = { ...search.env, GOBIN: folder, GOFLAGS: '-mod=mod' }
    await runSlowly('Building nats-server with Go (once, about a minute)', search, (signal) =>
      run(go, ['install', '-trimpath', module], { env, signal, cwd: folder }),
    )
    return join(folder, 'nats-server')
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
      // Its service would start by itself and take the port; a policy of its own forbids that for this call.
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

async function runSlowly(
  what: string,
  { progress, stopping }: NatsSearch,
  work: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const startedAtMs = systemClock.monotonicMs()
  progress(`${what} …`)
  const timer = setInterval(() => {
    const seconds = Math.round((systemClock.monotonicMs() - startedAtMs) / 1000)
    progress(`${what} … ${seconds} s`)
  }, progressEveryMs)
  try {
    await work(AbortSignal.any([AbortSignal.timeout(buildMsMax), stopping]))
  } finally {
    clearInterval(timer)
  }
}

function lastLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message?: string }
  return (stderr?.trim().split('\n').at(-1) || message) ?? String(error)
}
