/** The k6 program: on the PATH, kept from an earlier run, or built with Go. */
import { execFile } from 'node:child_process'
import { access, constants, mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const k6Module = 'go.k6.io/k6@v1.8.1'
const buildMsMax = 900_000
const run = promisify(execFile)

export interface K6Search {
  readonly env: NodeJS.ProcessEnv
  readonly onProgress: (sentence: string) => void
}

/** Throws one sentence that says how to get k6 when there is none and none can be built. */
export async function findK6({ env, onProgress }: K6Search): Promise<string> {
  const cacheFolder = join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'sluice/bin')
  const pathFolders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const found = await findProgram('k6', [...pathFolders, cacheFolder])
  if (found !== undefined) return found

  const go = await findProgram('go', [...pathFolders, '/usr/local/go/bin'])
  if (go === undefined) throw new Error(`There is no k6, and no Go to build it with. ${howToGetIt}`)
  onProgress('Building k6 with Go, once: this takes a minute or two.')
  await mkdir(cacheFolder, { recursive: true })
  try {
    await run(go, ['install', '-trimpath', k6Module], {
      env: { ...env, GOBIN: cacheFolder },
      cwd: cacheFolder,
      timeout: buildMsMax,
    })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.trim().split('\n').at(-1) : String(cause)
    throw new Error(`Go could not build k6 (${reason}). ${howToGetIt}`, { cause })
  }
  return join(cacheFolder, 'k6')
}

const howToGetIt =
  'Install k6 from https://grafana.com/docs/k6/latest/set-up/install-k6/ so that it is on the PATH, install a recent Go, or run the scripts of bench/k6 in the grafana/k6 image.'

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
