/**
 * Finds programs that are not npm packages: on the PATH, in the cache of an earlier run, or built
 * with Go. Built programs are cached per user, so that all data folders and clones of this user
 * share them.
 */
import { execFile } from 'node:child_process'
import { access, constants, mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Path of the first executable file with this name in the folders, in their order. */
export async function findProgram(
  name: string,
  folders: readonly string[],
): Promise<string | undefined> {
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

export function pathFolders(env: NodeJS.ProcessEnv): string[] {
  return (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
}

export function cacheFolder(env: NodeJS.ProcessEnv): string {
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'sluice/bin')
}

/** Go's installer writes to /usr/local/go/bin, which is often not on the PATH. */
export async function findGo(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return findProgram('go', [...pathFolders(env), '/usr/local/go/bin'])
}

/**
 * Builds a Go module (`path@version`) into the cache folder and returns the path of the program.
 */
export async function buildWithGo(build: {
  go: string
  name: string
  module: string
  env: NodeJS.ProcessEnv
  signal: AbortSignal
}): Promise<string> {
  const folder = cacheFolder(build.env)
  await mkdir(folder, { recursive: true })
  const env = { ...build.env, GOBIN: folder, GOFLAGS: '-mod=mod' }
  const options = { env, signal: build.signal, cwd: folder }
  await run(build.go, ['install', '-trimpath', build.module], options)
  return join(folder, build.name)
}

/** The last line that a failed program wrote to standard error, which usually states the reason. */
export function lastLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const said = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim() : ''
  return said.split('\n').at(-1) || error.message
}
