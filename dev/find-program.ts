/**
 * Programs that are not packages: one on the PATH, one kept from an earlier run, or one that Go
 * builds. A built one is kept per user, so that every data folder and every clone of this user
 * finds it.
 */
import { execFile } from 'node:child_process'
import { access, constants, mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The first folder that has the program as an executable file gives its path. */
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

/** Where its installer puts Go is often not on the PATH. */
export async function findGo(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return findProgram('go', [...pathFolders(env), '/usr/local/go/bin'])
}

/** Builds a module of the form `path@version` into the cache, where it is called `name`. */
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

/** What a program said last before it failed, which is mostly why. */
export function lastLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const said = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim() : ''
  return said.split('\n').at(-1) || error.message
}
